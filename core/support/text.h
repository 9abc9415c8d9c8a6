// SPDX-License-Identifier: Apache-2.0
// Text: escaping, file names and identifiers, numbers. Nothing here depends on the locale.
#ifndef DRAGOMAN_CORE_SUPPORT_TEXT_H_
#define DRAGOMAN_CORE_SUPPORT_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/support/result.h"

namespace dragoman {

// The length in bytes of the well-formed UTF-8 character at the front of `text`; 0 if there is
// none.
std::size_t Utf8Length(std::string_view text);
bool IsUtf8(std::string_view text);

// Any bytes as printable text: \\ \" \n \r \t; control characters, what is not UTF-8 and characters
// that change how text is displayed (bidirectional marks, line separators) byte by byte as \xNN;
// other UTF-8 as it is.
std::string Escape(std::string_view bytes);
// The inverse of Escape; also reads \' \0 . Fails on an unknown or cut escape.
Result<std::string> Unescape(std::string_view text);
// Escape between double quotes, and its inverse.
std::string Quote(std::string_view bytes);
Result<std::string> Unquote(std::string_view literal);
// The length of the string literal at the front of `text`, quotes included; 0 if there is none.
std::size_t QuotedLength(std::string_view text);

// A name for a file: every byte outside [A-Za-z0-9_.-] becomes '_'; never empty, ".", "..", or
// longer than 200 bytes.
std::string FileName(std::string_view name);
// An identifier of C++ and Python alike: every byte outside [A-Za-z0-9_] becomes '_', runs of '_'
// become one, a leading digit gets a '_' before it, a keyword of either language or a macro of C's
// headers one after it.
// Never empty, never reserved in C++ (leading '_' and a capital, "__").
std::string Identifier(std::string_view name);
bool IsIdentifier(std::string_view text);  // [A-Za-z_][A-Za-z0-9_]*, keywords included

// Hands out each name once: the second "x" is "x_2".
class NameScope {
 public:
  // `name` itself if it is free, else the first free of name_2, name_3, …
  std::string Unique(std::string_view name);
  // Takes `name` out of use; false if it was taken already.
  bool Reserve(std::string_view name);

 private:
  std::set<std::string, std::less<>> taken_;
  std::map<std::string, std::int64_t, std::less<>> next_;
};

// The shortest text that reads back to the same bits: "0.1", "-0.0", "1e+30", "inf", "-inf"; "nan"
// for the quiet NaN 0x7fc00000 (0x7ff8000000000000), any other NaN with its bits: "nan:0x7fc00001".
// A number has always a point, an exponent, or a letter, and so differs from an integer.
std::string FormatFloat(float value);
std::string FormatDouble(double value);

// All of `text` must be the number; nullopt otherwise, and if it does not fit. ParseFloat and
// ParseDouble read what Format* writes and decimal numbers; what is too large is infinite.
std::optional<std::int64_t> ParseInt64(std::string_view text);
std::optional<std::uint64_t> ParseUint64(std::string_view text);
std::optional<float> ParseFloat(std::string_view text);
std::optional<double> ParseDouble(std::string_view text);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_TEXT_H_

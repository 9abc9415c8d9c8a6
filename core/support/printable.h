// SPDX-License-Identifier: Apache-2.0
// The gate between texts of files and people: what is printed on a terminal or in a log passes it.
#ifndef DRAGOMAN_CORE_SUPPORT_PRINTABLE_H_
#define DRAGOMAN_CORE_SUPPORT_PRINTABLE_H_

#include <string>
#include <string_view>

namespace dragoman {

// `text` as a part of one line that cannot steer a terminal or pose as another line: what Escape
// escapes is escaped, but for quotes and backslashes, so that the gate may be passed twice.
// Unescape gives the text back unless it holds a backslash.
std::string Printable(std::string_view text);

// Lines that are made of printable parts. Line feeds and tabs stay.
std::string PrintableLines(std::string_view lines);

// A message in which only an excerpt of a source file with carets, and the calls that lead there,
// may stand on lines of their own, all indented (TextScanner::FailAt, python::FindingAt,
// torch::AtSource). What stands before these lines is cut after 8,000 bytes.
std::string PrintableMessage(std::string_view message);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_PRINTABLE_H_

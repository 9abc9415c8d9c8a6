// SPDX-License-Identifier: Apache-2.0
// Tokens of programs in subsets of Python: nothing is executed.
#ifndef DRAGOMAN_CORE_SUPPORT_PYTHON_LEXER_H_
#define DRAGOMAN_CORE_SUPPORT_PYTHON_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace dragoman::python {

// A piece of the text.
struct Token {
  enum class Kind : std::uint8_t {
    kName,  // also keywords
    kInt,
    kFloat,
    kImaginary,
    kString,
    kOperator,  // punctuation, the longest that fits: "->", "**", "<=", "("
    kNewline,   // the end of a logical line
    kIndent,
    kDedent,
    kEnd,
  };

  Kind kind = Kind::kEnd;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

inline constexpr std::size_t kMaxSourceFindings = 20;

// The tokens of `text`; the last is kEnd. Line breaks inside brackets, empty lines and comments
// give none. What is wrong is added to `findings`, up to kMaxSourceFindings, and skipped:
// characters that no token starts with, strings without an end, an indentation that no line around
// it has, a text of more than `most` bytes.
std::vector<Token> Tokenize(std::string_view file, std::string_view text,
                            std::vector<Finding>& findings, std::size_t most);

// The number that a token of that kind stands for. 2^63 is the smallest int, for the minus sign in
// front of it to take effect; nullopt: it does not fit.
std::optional<std::int64_t> IntOf(std::string_view token);
// Of kFloat and kImaginary.
double FloatOf(std::string_view token);
// The bytes that a token of kind kString stands for.
std::string StringOf(std::string_view token);

}  // namespace dragoman::python

#endif  // DRAGOMAN_CORE_SUPPORT_PYTHON_LEXER_H_

// SPDX-License-Identifier: Apache-2.0
#include "core/ops/params.h"

#include <cctype>
#include <cmath>
#include <cstdint>

#include "core/support/text.h"

namespace dragoman {

std::string CppFloat(float value) {
  if (std::isnan(value)) return "std::numeric_limits<float>::quiet_NaN()";
  if (std::isinf(value)) {
    return std::string(value < 0 ? "-" : "") + "std::numeric_limits<float>::infinity()";
  }
  return FormatFloat(value) + "f";
}

namespace params_internal {

bool SameWord(std::string_view enumerator, std::string_view word) {
  enumerator.remove_prefix(1);
  auto skip = [](std::string_view& text) {
    while (!text.empty() && text.front() == '_') text.remove_prefix(1);
  };
  for (;; enumerator.remove_prefix(1), word.remove_prefix(1)) {
    skip(enumerator);
    skip(word);
    if (enumerator.empty() || word.empty()) return enumerator.empty() && word.empty();
    if (std::tolower(static_cast<unsigned char>(enumerator.front())) !=
        std::tolower(static_cast<unsigned char>(word.front()))) {
      return false;
    }
  }
}

std::string WordOf(std::string_view enumerator) {
  std::string word;
  for (char c : enumerator.substr(1)) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !word.empty()) word += '_';
    word += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return word;
}

// The least integer has no literal: a minus is an operator.
std::string CppInt(std::int64_t value) {
  return value == INT64_MIN ? "INT64_MIN" : std::to_string(value);
}

Status WrongKind(const Node& node, std::string_view attribute, std::string_view expected) {
  return InvalidInput("attribute '" + std::string(attribute) + "' is of kind " +
                      std::string(Name(node.attribute(attribute)->kind())) + ", expected " +
                      std::string(expected));
}

Status UnknownWord(std::string_view attribute, std::string_view word) {
  return InvalidInput("attribute '" + std::string(attribute) + "' has the unknown value '" +
                      std::string(word) + "'");
}

Status TooLong(std::string_view attribute, std::size_t size, int capacity) {
  return Unsupported("attribute '" + std::string(attribute) + "' has " + std::to_string(size) +
                     " entries, more than " + std::to_string(capacity));
}

}  // namespace params_internal

}  // namespace dragoman

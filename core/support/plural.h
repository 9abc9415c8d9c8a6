// SPDX-License-Identifier: Apache-2.0
// Counts in messages.
#ifndef DRAGOMAN_CORE_SUPPORT_PLURAL_H_
#define DRAGOMAN_CORE_SUPPORT_PLURAL_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman {

// "1 operand", "2 operands"
inline std::string Plural(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_PLURAL_H_

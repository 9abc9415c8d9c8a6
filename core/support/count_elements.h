// SPDX-License-Identifier: Apache-2.0
// The number of elements of an array.
#ifndef DRAGOMAN_CORE_SUPPORT_COUNT_ELEMENTS_H_
#define DRAGOMAN_CORE_SUPPORT_COUNT_ELEMENTS_H_

#include <cstdint>
#include <optional>
#include <span>

namespace dragoman {

// The product of `sizes`, 1 for none; nullopt if one is negative or the product overflows.
inline std::optional<std::int64_t> CountElements(std::span<const std::int64_t> sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return count;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_COUNT_ELEMENTS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DRAGOMAN_CORE_SUPPORT_TRUTH_BYTES_H_
#define DRAGOMAN_CORE_SUPPORT_TRUTH_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <span>

namespace dragoman {

// Whether each byte is 0 or 1, as those of bool are.
inline bool AreTruths(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte <= std::byte{1}; });
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_TRUTH_BYTES_H_

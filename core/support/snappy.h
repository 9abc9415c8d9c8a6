// SPDX-License-Identifier: Apache-2.0
// Blocks that Snappy compressed.
#ifndef DRAGOMAN_CORE_SUPPORT_SNAPPY_H_
#define DRAGOMAN_CORE_SUPPORT_SNAPPY_H_

#include <cstddef>
#include <span>
#include <string>

#include "core/support/result.h"

namespace dragoman {

// Snappy makes nothing smaller than this part of what it was, so no block claims more.
inline constexpr std::size_t kMaxSnappyRatio = 64;

// Errors: what is no such block, or ends in the middle.
Result<std::string> UnpackSnappy(std::span<const std::byte> block);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_SNAPPY_H_

// SPDX-License-Identifier: Apache-2.0
#include "core/support/hash.h"

#include <xxhash.h>

namespace dragoman {

std::uint64_t HashBytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

std::uint64_t HashString(std::string_view text, std::uint64_t seed) {
  return XXH64(text.data(), text.size(), seed);
}

std::uint64_t HashCombine(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t pair[2] = {a, b};
  return XXH64(pair, sizeof pair, 0);
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// Non-cryptographic 64-bit hashing of bytes (XXH64 of libxxhash), equal on every machine.
#ifndef DRAGOMAN_CORE_SUPPORT_HASH_H_
#define DRAGOMAN_CORE_SUPPORT_HASH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dragoman {

std::uint64_t HashBytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);
std::uint64_t HashString(std::string_view text, std::uint64_t seed = 0);
std::uint64_t HashCombine(std::uint64_t a, std::uint64_t b);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_HASH_H_

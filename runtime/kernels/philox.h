// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox4x32-10, a counter-based generator: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", 2011. A block of four words is a function of a
// counter and a key; there is no other state.
#ifndef DRAGOMAN_RUNTIME_KERNELS_PHILOX_H_
#define DRAGOMAN_RUNTIME_KERNELS_PHILOX_H_

#include <array>
#include <cstdint>

namespace dragoman::rt {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

constexpr PhiloxCounter PhiloxRound(const PhiloxCounter& counter, const PhiloxKey& key) {
  const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
  const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
  return {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0],
          static_cast<std::uint32_t>(second),
          static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1],
          static_cast<std::uint32_t>(first)};
}

constexpr PhiloxCounter Philox(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    counter = PhiloxRound(counter, key);
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_PHILOX_H_

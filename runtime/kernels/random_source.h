// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the random numbers of a model come from: a seed, and how many draws nodes have made since
// it was set. The same seed and the same calls give the same numbers.
#ifndef DRAGOMAN_RUNTIME_KERNELS_RANDOM_SOURCE_H_
#define DRAGOMAN_RUNTIME_KERNELS_RANDOM_SOURCE_H_

#include <cstdint>

#include "runtime/kernels/philox.h"

namespace dragoman::rt {

// The numbers of one draw, by index: number i is half (i mod 2) of the Philox block of which
// counter the low words are i / 2 and the high words the number of the draw.
class RandomDraw {
 public:
  constexpr RandomDraw(std::uint64_t key, std::uint64_t draw) : key_(key), draw_(draw) {}

  // 64 bits.
  constexpr std::uint64_t Bits(std::int64_t i) const {
    const PhiloxCounter block = Block(static_cast<std::uint64_t>(i) / 2);
    return i % 2 == 0 ? Joined(block[0], block[1]) : Joined(block[2], block[3]);
  }
  // Uniform in [0, 1), a multiple of 2^-bits; bits is at most 53.
  constexpr double Unit(std::int64_t i, int bits = 53) const {
    return static_cast<double>(Bits(i) >> (64 - bits)) /
           static_cast<double>(std::uint64_t{1} << bits);
  }

 private:
  static constexpr std::uint64_t Joined(std::uint32_t low, std::uint32_t high) {
    return std::uint64_t{high} << 32 | low;
  }
  static constexpr std::uint32_t Low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
  static constexpr std::uint32_t High(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32);
  }
  constexpr PhiloxCounter Block(std::uint64_t i) const {
    return Philox({Low(i), High(i), Low(draw_), High(draw_)}, {Low(key_), High(key_)});
  }

  std::uint64_t key_;
  std::uint64_t draw_;
};

class RandomSource {
 public:
  constexpr explicit RandomSource(std::uint64_t seed = 0) : seed_(seed) {}

  // Starts over.
  constexpr void SetSeed(std::uint64_t seed) { *this = RandomSource(seed); }
  constexpr void Restart() { draws_ = 0; }
  constexpr std::uint64_t draws() const { return draws_; }

  // The next draw; that of a node which has a seed of its own does not depend on the source's.
  constexpr RandomDraw Next(bool has_seed = false, std::int64_t seed = 0) {
    return RandomDraw(has_seed ? static_cast<std::uint64_t>(seed) : seed_, draws_++);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_RANDOM_SOURCE_H_

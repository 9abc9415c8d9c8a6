// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 16-bit floats. Both become float implicitly, since that is exact; the way back is explicit,
// rounds once, and overflows to infinity.
#ifndef DRAGOMAN_RUNTIME_KERNELS_FLOAT16_H_
#define DRAGOMAN_RUNTIME_KERNELS_FLOAT16_H_

#include <cstdint>
#include <type_traits>

#include "runtime/kernels/float_codec.h"

namespace dragoman::rt {

// IEEE 754 binary16.
struct Half {
  std::uint16_t bits;

  Half() = default;
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  explicit Half(T value) : bits(Encode(RoundToOdd(value))) {}
  static Half FromBits(std::uint16_t bits) {
    Half half;
    half.bits = bits;
    return half;
  }

  operator float() const {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t code = bits & 0x7fffu;
    const std::uint32_t finite = FloatBits(DecodeMagnitude<10, 15>(code));
    const std::uint32_t special = 0x7f800000u | (code & 0x3ffu) << 13;
    return FloatFromBits(sign | (code >= kInfinity ? special : finite));
  }

 private:
  static constexpr std::uint32_t kInfinity = 0x7c00;

  static std::uint16_t Encode(float value) {
    const std::uint32_t raw = FloatBits(value);
    const std::uint32_t magnitude = raw & 0x7fffffffu;
    const std::uint32_t finite = EncodeMagnitude<10, 15>(value);
    const std::uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    std::uint32_t code = magnitude >= 0x47800000u ? kInfinity : finite;  // 2^16
    code = magnitude > 0x7f800000u ? nan : code;
    return static_cast<std::uint16_t>((raw >> 16 & 0x8000u) | code);
  }
};

// The upper half of a float.
struct BFloat16 {
  std::uint16_t bits;

  BFloat16() = default;
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  explicit BFloat16(T value) : bits(Encode(RoundToOdd(value))) {}
  static BFloat16 FromBits(std::uint16_t bits) {
    BFloat16 bfloat;
    bfloat.bits = bits;
    return bfloat;
  }

  operator float() const { return FloatFromBits(static_cast<std::uint32_t>(bits) << 16); }

 private:
  static std::uint16_t Encode(float value) {
    const std::uint32_t raw = FloatBits(value);
    const std::uint32_t rounded = (raw + 0x7fffu + ((raw >> 16) & 1)) >> 16;
    const std::uint32_t nan = (raw >> 16) | 0x40u;
    return static_cast<std::uint16_t>((raw & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_FLOAT16_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 8-bit floats of ONNX, and its 4-bit one stored in a byte. They become float implicitly, since
// that is exact. On the way back overflow saturates, or gives what the layout has for it (infinity
// in Float8E5M2, else NaN); see the tables of ONNX's Cast.
#ifndef DRAGOMAN_RUNTIME_KERNELS_FLOAT8_H_
#define DRAGOMAN_RUNTIME_KERNELS_FLOAT8_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/kernels/float_codec.h"

namespace dragoman::rt {

// What the topmost codes of an 8-bit float stand for.
enum class Float8Kind {
  kIeee,  // infinities and NaN as in IEEE 754
  kFn,    // no infinity; all ones is NaN
  kFnuz,  // no infinity, no negative zero; the code of the latter is NaN
};

template <int kMantissa, int kBias, Float8Kind kKind>
struct Float8 {
  std::uint8_t bits;

  // The code of the largest finite value.
  static constexpr std::uint8_t kLargest = kKind == Float8Kind::kFnuz ? 0x7f
                                           : kKind == Float8Kind::kFn ? 0x7e
                                                                      : 0x7b;

  Float8() = default;
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  explicit Float8(T value, bool saturate = true) : bits(Encode(RoundToOdd(value), saturate)) {}
  static Float8 FromBits(std::uint8_t bits) {
    Float8 value;
    value.bits = bits;
    return value;
  }

  operator float() const {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    const std::uint32_t code = bits & 0x7fu;
    const bool negative = (bits & 0x80u) != 0;
    if (kKind == Float8Kind::kFnuz ? bits == 0x80u : code > kLargest) {
      if (kKind == Float8Kind::kIeee && code == kLargest + 1u) {
        return negative ? -std::numeric_limits<float>::infinity()
                        : std::numeric_limits<float>::infinity();
      }
      return kNaN;
    }
    const float magnitude = DecodeMagnitude<kMantissa, kBias>(code);
    return negative ? -magnitude : magnitude;
  }

 private:
  static std::uint8_t Encode(float value, bool saturate) {
    const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
    const std::uint8_t nan = kKind == Float8Kind::kFnuz ? 0x80 : sign | 0x7f;
    if (std::isnan(value)) return nan;
    const std::uint32_t code = std::isinf(value) ? 0xffu : EncodeMagnitude<kMantissa, kBias>(value);
    if (code > kLargest) {
      if (saturate) return sign | kLargest;
      return kKind == Float8Kind::kIeee ? sign | (kLargest + 1) : nan;
    }
    if (kKind == Float8Kind::kFnuz && code == 0) return 0;
    return static_cast<std::uint8_t>(sign | code);
  }
};

using Float8E4M3FN = Float8<3, 7, Float8Kind::kFn>;
using Float8E4M3FNUZ = Float8<3, 8, Float8Kind::kFnuz>;
using Float8E5M2 = Float8<2, 15, Float8Kind::kIeee>;
using Float8E5M2FNUZ = Float8<2, 16, Float8Kind::kFnuz>;

// A power of two from 2^-127 to 2^127, or NaN. From float: zero becomes the least value, what is
// negative becomes NaN, a tie goes up, overflow saturates or becomes NaN.
struct Float8E8M0 {
  std::uint8_t bits;

  Float8E8M0() = default;
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  explicit Float8E8M0(T value, bool saturate = true) : bits(Encode(RoundToOdd(value), saturate)) {}
  static Float8E8M0 FromBits(std::uint8_t bits) {
    Float8E8M0 value;
    value.bits = bits;
    return value;
  }

  operator float() const {
    if (bits == kNaN) return std::numeric_limits<float>::quiet_NaN();
    return bits == 0 ? FloatFromBits(0x00400000u) : PowerOfTwo(bits - 127);
  }

 private:
  static constexpr std::uint8_t kNaN = 0xff;
  static constexpr std::uint8_t kLargest = 0xfe;

  static std::uint8_t Encode(float value, bool saturate) {
    if (std::isnan(value) || value < 0) return kNaN;
    const std::uint32_t raw = FloatBits(value) & 0x7fffffffu;
    // Below 2^-126 the significand is no longer 1.m: the middle of 2^-127 and 2^-126 is 0x600000.
    if (raw < 0x00800000u) return raw >= 0x00600000u ? 1 : 0;
    const std::uint32_t code = (raw + 0x00400000u) >> 23;
    if (code > kLargest) return saturate ? kLargest : kNaN;
    return static_cast<std::uint8_t>(code);
  }
};

// Values 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives, one per byte, code in the low four bits.
// From float: overflow saturates, NaN becomes 6.
struct Float4E2M1 {
  std::uint8_t bits;

  Float4E2M1() = default;
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  explicit Float4E2M1(T value) : bits(Encode(RoundToOdd(value))) {}
  static Float4E2M1 FromBits(std::uint8_t bits) {
    Float4E2M1 value;
    value.bits = bits;
    return value;
  }

  operator float() const {
    const float magnitude = DecodeMagnitude<1, 1>(bits & 7u);
    return (bits & 8u) != 0 ? -magnitude : magnitude;
  }

 private:
  static std::uint8_t Encode(float value) {
    if (std::isnan(value)) return 7;
    const std::uint8_t sign = std::signbit(value) ? 8 : 0;
    const std::uint32_t code = std::isinf(value) ? 7u : EncodeMagnitude<1, 1>(value);
    return static_cast<std::uint8_t>(sign | (code > 7 ? 7 : code));
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_FLOAT8_H_

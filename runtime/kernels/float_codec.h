// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between float and narrow binary floats of any layout: sign, exponent of bias `kBias`,
// `kMantissa` bits of significand, subnormals. What a layout does with its topmost codes
// (infinities, NaN) is the business of its own type. Every conversion to a narrow type rounds once,
// to nearest, ties to even.
#ifndef DRAGOMAN_RUNTIME_KERNELS_FLOAT_CODEC_H_
#define DRAGOMAN_RUNTIME_KERNELS_FLOAT_CODEC_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dragoman::rt {

inline std::uint32_t FloatBits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float FloatFromBits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// A float that rounds to any narrower format as `value` itself does: an inexact result has an odd
// last bit, so that a second rounding cannot see a tie where there was none (Boldo, Melquiond
// 2005).
inline float RoundToOdd(double value) {
  const float rounded = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(rounded) == value) return rounded;
  const std::uint32_t bits = FloatBits(rounded);
  if (bits & 1) return rounded;
  const bool below = std::fabs(static_cast<double>(rounded)) < std::fabs(value);
  return FloatFromBits(below ? bits + 1 : bits - 1);
}

inline float RoundToOdd(float value) { return value; }

template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
float RoundToOdd(T value) {
  if constexpr (sizeof(T) < sizeof(std::int32_t)) {
    return static_cast<float>(value);
  } else if constexpr (sizeof(T) == sizeof(std::int32_t)) {
    return RoundToOdd(static_cast<double>(value));
  } else {
    constexpr std::uint64_t kBelowDouble = 0x7ff;  // what does not fit into double's 53 bits
    const bool negative = value < 0;
    std::uint64_t magnitude = static_cast<std::uint64_t>(value);
    if (negative) magnitude = 0 - magnitude;
    if ((magnitude >> 53) != 0 && (magnitude & kBelowDouble) != 0) {
      magnitude = (magnitude & ~kBelowDouble) | (kBelowDouble + 1);
    }
    const double rounded = static_cast<double>(magnitude);
    return RoundToOdd(negative ? -rounded : rounded);
  }
}

// 2^exponent, in float's normal range.
inline float PowerOfTwo(int exponent) {
  return FloatFromBits(static_cast<std::uint32_t>(exponent + 127) << 23);
}

// The code of |value|, as if the exponent field were unbounded: the caller compares with its
// largest code. `value` is finite.
template <int kMantissa, int kBias>
std::uint32_t EncodeMagnitude(float value) {
  constexpr int kShift = 23 - kMantissa;
  constexpr std::uint32_t kLeastNormal = static_cast<std::uint32_t>(128 - kBias) << 23;
  const std::uint32_t magnitude = FloatBits(value) & 0x7fffffffu;
  // The sum has the unit of a subnormal in its last place, so the addition itself rounds.
  const float anchor = PowerOfTwo(24 - kBias - kMantissa);
  const std::uint32_t subnormal = FloatBits(FloatFromBits(magnitude) + anchor) - FloatBits(anchor);
  const std::uint32_t odd = (magnitude >> kShift) & 1;
  const std::uint32_t rebias = static_cast<std::uint32_t>(127 - kBias) << 23;
  const std::uint32_t normal = (magnitude - rebias + ((1u << (kShift - 1)) - 1) + odd) >> kShift;
  return magnitude < kLeastNormal ? subnormal : normal;
}

// The value of a code without sign bit.
template <int kMantissa, int kBias>
float DecodeMagnitude(std::uint32_t code) {
  const float subnormal = static_cast<float>(code) * PowerOfTwo(1 - kBias - kMantissa);
  const std::uint32_t rebias = static_cast<std::uint32_t>(127 - kBias) << 23;
  const float normal = FloatFromBits((code << (23 - kMantissa)) + rebias);
  return (code >> kMantissa) == 0 ? subnormal : normal;
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_FLOAT_CODEC_H_

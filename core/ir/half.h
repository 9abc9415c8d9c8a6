// SPDX-License-Identifier: Apache-2.0
// Bits of 16-bit floats (IEEE binary16, bfloat16) from and to float; rounding to nearest even.
#ifndef DRAGOMAN_CORE_IR_HALF_H_
#define DRAGOMAN_CORE_IR_HALF_H_

#include <bit>
#include <cstdint>

namespace dragoman {

inline float HalfBitsToFloat(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t rest = bits & 0x7fff;
  if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (rest & 0x3ff) << 13);
  // Shifted into float's fields the exponent is 112 too small; the product also normalises
  // subnormals.
  const float magnitude = std::bit_cast<float>(rest << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

inline std::uint16_t FloatToHalfBits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t rest = bits & 0x7fffffff;
  if (rest > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00 | ((rest >> 13) & 0x3ff));
  if (rest >= 0x47800000) return sign | 0x7c00;
  if (rest < 0x38800000) {
    // Adding 0.5 leaves the subnormal's ten bits, rounded, at the low end of the significand.
    const float shifted = std::bit_cast<float>(rest) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000));
  }
  const std::uint32_t rounded = rest + 0xfff + ((rest >> 13) & 1) - 0x38000000;
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

inline float BFloat16BitsToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}
inline std::uint16_t FloatToBFloat16Bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_HALF_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar functions in f32 for the bodies of Map (runtime/fast/map.h). They neither branch nor call,
// so loops over them become vector code. Each is within 4 units in the last place of the function
// that the plain kernel computes, but for Erf beyond |x| = 1: 2e-7, and the Gelus: 4e-7, below -3
// 2e-6 of a result that is small.
#ifndef DRAGOMAN_RUNTIME_FAST_MATH_H_
#define DRAGOMAN_RUNTIME_FAST_MATH_H_

#include <cmath>
#include <cstdint>
#include <cstring>

#include "runtime/fast/clones.h"

namespace dragoman::rt::fast {

DRAGOMAN_RT_INLINE float FromBits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

DRAGOMAN_RT_INLINE std::uint32_t ToBits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// x with the sign of `sign`; x is not negative.
DRAGOMAN_RT_INLINE float WithSign(float x, float sign) {
  return FromBits(ToBits(x) | (ToBits(sign) & 0x80000000u));
}

// e^x = 2^n · e^r with |r| <= ln(2) / 2, e^r by a polynomial (fitted at Chebyshev nodes). The power
// of two is applied in two halves, so results that overflow or are subnormal come out right.
DRAGOMAN_RT_INLINE float Exp(float x) {
  constexpr float kToInteger = 12582912.0f;  // 1.5 · 2^23: adding it rounds to an integer
  const float below = x > 89.0f ? 89.0f : x;
  const float v = below < -104.0f ? -104.0f : below;
  const float shifted = v * 1.44269504f + kToInteger;
  const float n = shifted - kToInteger;
  const float r = (v - n * 0.693145752f) - n * 1.42860677e-6f;
  float p = 0.0013949769781902432f;
  p = p * r + 0.00837596133351326f;
  p = p * r + 0.04166619852185249f;
  p = p * r + 0.16666404902935028f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const std::int32_t power = static_cast<std::int32_t>(ToBits(shifted) - 0x4b400000u);
  const std::int32_t half = power >> 1;
  const float first = FromBits(static_cast<std::uint32_t>(half + 127) << 23);
  const float second = FromBits(static_cast<std::uint32_t>(power - half + 127) << 23);
  const float result = p * first * second;
  return x != x ? x : result;
}

// x without its nearest whole number; |x| < 2^51.
DRAGOMAN_RT_INLINE double Fraction(double x) {
  constexpr double kToInteger = 6755399441055744.0;  // 1.5 · 2^52, as in Exp
  return x - ((x + kToInteger) - kToInteger);
}

// The same of any x of at most 51 bits, which has no fraction from 2^51 on. NaN if x is not finite.
DRAGOMAN_RT_INLINE double AnyFraction(double x) {
  return std::fabs(x) < 2251799813685248.0 ? Fraction(x) : x - x;
}

// sin(x + quarters · π / 2), by polynomials of what lies between x and the nearest quarter of a
// turn (fitted at Chebyshev nodes). The parts of 1 / 2π, of 27 bits each, make products with x
// exact and suffice for the largest x.
DRAGOMAN_RT_INLINE float SinOfQuarters(float x, std::uint32_t quarters) {
  const double v = x;
  double turn = AnyFraction(v * 0x1.45f306cp-3);
  turn += AnyFraction(v * 0x1.c9c8828p-31);
  turn += AnyFraction(v * 0x1.29fc27p-58);
  turn += Fraction(v * 0x1.5f47d4cp-84);
  turn += Fraction(v * 0x1.3770368p-112);
  turn += v * 0x1.629599p-138;
  turn += v * 0x1.e21c82p-165;
  turn = Fraction(turn);
  const double left = Fraction(4.0 * turn);
  const float r = static_cast<float>(left * 1.5707963267948966);
  const float u = r * r;
  float p = 2.7243782e-06f;
  p = p * u - 0.00019840039f;
  p = p * u + 0.008333332f;
  p = p * u - 0.16666667f;
  const float sine = r * (1.0f + u * p);
  float q = 2.4542871e-05f;
  q = q * u - 0.0013888279f;
  q = q * u + 0.041666664f;
  const float cosine = (1.0f - 0.5f * u) + u * u * q;
  constexpr float kToInteger = 12582912.0f;
  const std::uint32_t quarter =
      ToBits(static_cast<float>(4.0 * turn - left) + kToInteger) + quarters;
  const float value = (quarter & 1u) != 0 ? cosine : sine;
  return (quarter & 2u) != 0 ? -value : value;
}

DRAGOMAN_RT_INLINE float Sin(float x) { return SinOfQuarters(x, 0); }
DRAGOMAN_RT_INLINE float Cos(float x) { return SinOfQuarters(x, 1); }

// x = 2^n · m with m between sqrt(1/2) and sqrt(2); log(m) = 2 artanh(s) with
// s = (m - 1) / (m + 1), by its series. Subnormals are scaled first.
DRAGOMAN_RT_INLINE float Log(float x) {
  constexpr std::uint32_t kRootOfHalf = 0x3f3504f3u;
  const bool small = x < 1.17549435e-38f;
  const std::uint32_t bits = ToBits(small ? x * 8388608.0f : x) - kRootOfHalf;
  const std::int32_t power = static_cast<std::int32_t>(bits) >> 23;
  const float m = FromBits((bits & 0x007fffffu) + kRootOfHalf);
  const float n = static_cast<float>(power - (small ? 23 : 0));
  const float f = m - 1.0f, s = f / (m + 1.0f), u = s * s;
  float p = 1.0f / 9.0f;
  p = p * u + 1.0f / 7.0f;
  p = p * u + 0.2f;
  p = p * u + 1.0f / 3.0f;
  // 2 s = f - s f
  const float near = f - s * (f - 2.0f * u * p);
  const float result = n * 0.693145752f + (near + n * 1.42860677e-6f);
  const float positive = x > 3.4028235e38f ? x : result;
  const float at_zero = x == 0.0f ? -FromBits(0x7f800000u) : FromBits(0x7fc00000u);
  return x > 0.0f ? positive : x != x ? x : at_zero;
}

// e^x - 1, by its series where the difference would lose digits.
DRAGOMAN_RT_INLINE float Expm1(float x) {
  float p = 1.0f / 5040.0f;
  p = p * x + 1.0f / 720.0f;
  p = p * x + 1.0f / 120.0f;
  p = p * x + 1.0f / 24.0f;
  p = p * x + 1.0f / 6.0f;
  p = p * x + 0.5f;
  const float near = x + x * x * p;
  const float far = Exp(x) - 1.0f;
  return std::fabs(x) < 0.35f ? near : far;
}

DRAGOMAN_RT_INLINE float Clip(float x, float low, float high) {
  const float above = x < low ? low : x;
  return above > high ? high : above;
}

DRAGOMAN_RT_INLINE double DoubleFromBits(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// The logarithm to base 2 of a positive finite float: as in Log.
DRAGOMAN_RT_INLINE double Log2(float x) {
  constexpr std::uint64_t kRootOfHalf = 0x3fe6a09e667f3bcdu;
  const double v = x;
  std::uint64_t bits;
  std::memcpy(&bits, &v, sizeof bits);
  bits -= kRootOfHalf;
  const double m = DoubleFromBits((bits & 0x000fffffffffffffu) + kRootOfHalf);
  const auto n = static_cast<double>(static_cast<std::int32_t>(bits >> 32) >> 20);
  const double s = (m - 1.0) / (m + 1.0), u = s * s;
  double p = 1.0 / 15.0;
  p = p * u + 1.0 / 13.0;
  p = p * u + 1.0 / 11.0;
  p = p * u + 1.0 / 9.0;
  p = p * u + 1.0 / 7.0;
  p = p * u + 0.2;
  p = p * u + 1.0 / 3.0;
  p = p * u + 1.0;
  return n + 2.8853900817779268 * s * p;
}

// 2^x, by the series of what is beside a whole power; |x| <= 1000.
DRAGOMAN_RT_INLINE double Exp2(double x) {
  constexpr double kToInteger = 6755399441055744.0;  // as in Fraction
  const double shifted = x + kToInteger;
  const double r = (x - (shifted - kToInteger)) * 0.69314718055994531;
  double p = 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  std::uint64_t power;
  std::memcpy(&power, &shifted, sizeof power);
  return p * DoubleFromBits((power + 1023) << 52);
}

// x^y as std::pow has it, signs, zeros, infinities and NaN included.
DRAGOMAN_RT_INLINE float Pow(float x, float y) {
  constexpr float kEven = 33554432.0f;  // from 2^24 on, all floats are even
  constexpr double kFar = 1e300;        // in place of the logarithms of zero and infinity
  const float a = std::fabs(x);
  const float near = y > -kEven ? (y > kEven ? kEven : y) : -kEven;  // of NaN, too
  const auto whole = static_cast<std::int32_t>(near);
  const bool is_whole = static_cast<float>(whole) == near;
  const std::uint32_t sign = ToBits(x) & (static_cast<std::uint32_t>(whole) << 31);
  const double log = a == 0.0f ? -kFar : a > 3.4028235e38f ? kFar : Log2(a);
  const double exponent = Clip(y, -1e30f, 1e30f) * log;
  const double above = exponent < -200.0 ? -200.0 : exponent;
  const auto size = static_cast<float>(Exp2(above > 200.0 ? 200.0 : above));
  const float result = FromBits(ToBits(size) | (is_whole ? sign : 0u));
  const bool is_root = (x < 0.0f) & (a <= 3.4028235e38f) & !is_whole;
  const float some = ((x != x) | (y != y) | is_root) ? FromBits(0x7fc00000u) : result;
  return ((y == 0.0f) | (x == 1.0f)) ? 1.0f : some;
}

DRAGOMAN_RT_INLINE float Elu(float x, float alpha) { return x < 0.0f ? alpha * Expm1(x) : x; }

// log(1 + e^x) = max(x, 0) + log(1 + t) with t = e^-|x|; log(1 + t) = 2 artanh(s) with
// s = t / (2 + t) <= 1 / 3, by its series.
DRAGOMAN_RT_INLINE float Softplus(float x) {
  const float t = Exp(-std::fabs(x));
  const float s = t / (2.0f + t), u = s * s;
  float p = 1.0f / 15.0f;
  p = p * u + 1.0f / 13.0f;
  p = p * u + 1.0f / 11.0f;
  p = p * u + 1.0f / 9.0f;
  p = p * u + 1.0f / 7.0f;
  p = p * u + 0.2f;
  p = p * u + 1.0f / 3.0f;
  p = p * u + 1.0f;
  return 2.0f * s * p + (x < 0.0f ? 0.0f : x);
}

DRAGOMAN_RT_INLINE float Sigmoid(float x) { return 1.0f / (1.0f + Exp(-x)); }

DRAGOMAN_RT_INLINE float Tanh(float x) {
  const float a = std::fabs(x);
  const float t = x * x;
  float p = -0.005664775148034096f;
  p = p * t + 0.020595679059624672f;
  p = p * t - 0.05372267961502075f;
  p = p * t + 0.13331149518489838f;
  p = p * t - 0.3333326280117035f;
  p = p * t + 1.0f;
  const float far = 1.0f - 2.0f / (Exp(a + a) + 1.0f);
  return a < 0.625f ? p * x : WithSign(far, x) + (x - x == 0.0f ? 0.0f : x != x ? x : 0.0f);
}

// A polynomial in x² below 1, 1 - t P(t) e^(-x²) with t = 1 / (1 + 0.47047 x) above.
DRAGOMAN_RT_INLINE float Erf(float x) {
  const float a = std::fabs(x);
  const float u = x * x;
  float p = 7.882497448008507e-05f;
  p = p * u - 0.0008018855005502701f;
  p = p * u + 0.005189312156289816f;
  p = p * u - 0.02685432881116867f;
  p = p * u + 0.11283597350120544f;
  p = p * u - 0.3761262595653534f;
  p = p * u + 1.1283791065216064f;
  const float t = 1.0f / (1.0f + 0.47047f * a);
  float q = -0.11711964756250381f;
  q = q * t + 0.17114335298538208f;
  q = q * t + 0.21213984489440918f;
  q = q * t + 0.18354564905166626f;
  q = q * t + 0.28867873549461365f;
  q = q * t + 0.260701984167099f;
  q = q * t + 0.00037769164191558957f;
  const float far = 1.0f - q * Exp(-u);
  const float near = p * x;
  return a < 1.0f ? near : (x != x ? x : WithSign(far, x));
}

// x tanh(log(1 + e^x)) = x n / (n + 2) with n = e^x (e^x + 2).
DRAGOMAN_RT_INLINE float Mish(float x) {
  const float t = Exp(x > 20.0f ? 20.0f : x);  // from where on the factor is 1
  const float n = t * (t + 2.0f);
  return x * (n / (n + 2.0f));
}

DRAGOMAN_RT_INLINE float Celu(float x, float alpha) {
  const float curve = alpha * Expm1(x / alpha);
  return (x < 0.0f ? 0.0f : x) + (curve > 0.0f ? 0.0f : curve);
}

// By polynomials of Cephes in what is left of x beside 0, of (x - 1) / (x + 1) beside π / 4, or of
// -1 / x beside π / 2.
DRAGOMAN_RT_INLINE float Atan(float x) {
  const float a = std::fabs(x);
  const bool is_large = a > 2.41421356f, is_small = a < 0.414213562f;
  const float above = is_large ? -1.0f : is_small ? a : a - 1.0f;
  const float below = is_large ? a : is_small ? 1.0f : a + 1.0f;
  const float start = is_large ? 1.57079633f : is_small ? 0.0f : 0.785398163f;
  const float z = above / below, u = z * z;
  float p = 0.0805374450f;
  p = p * u - 0.138776856f;
  p = p * u + 0.199777106f;
  p = p * u - 0.333329491f;
  return WithSign(start + (z + z * u * p), x);
}

// What asin(z) is beyond z, as a part of z; u is z², |z| <= 1 / 2.
DRAGOMAN_RT_INLINE float AsinTail(float u) {
  float p = 0.0421631990f;
  p = p * u + 0.0241813110f;
  p = p * u + 0.0454700260f;
  p = p * u + 0.0749530027f;
  p = p * u + 0.166667522f;
  return p * u;
}

// Above 1 / 2, asin(x) = π / 2 - 2 asin(sqrt((1 - x) / 2)).
DRAGOMAN_RT_INLINE float Asin(float x) {
  const float a = std::fabs(x);
  const float u = a > 0.5f ? 0.5f * (1.0f - a) : x * x;
  const float z = a > 0.5f ? std::sqrt(u) : a;
  const float near = z + z * AsinTail(u);
  const float size = a > 0.5f ? 1.57079633f - 2.0f * near : near;
  return WithSign(size, x);
}

DRAGOMAN_RT_INLINE float Acos(float x) {
  const float a = std::fabs(x);
  const float u = a > 0.5f ? 0.5f * (1.0f - a) : x * x;
  const float z = a > 0.5f ? std::sqrt(u) : x;
  const float near = z + z * AsinTail(u);
  const float far = x < 0.0f ? 3.14159265f - 2.0f * near : 2.0f * near;
  return a > 0.5f ? far : 1.57079633f - near;
}

DRAGOMAN_RT_INLINE float Relu(float x) { return x < 0.0f ? 0.0f : x; }
DRAGOMAN_RT_INLINE float LeakyRelu(float x, float alpha) { return x < 0.0f ? alpha * x : x; }
DRAGOMAN_RT_INLINE float HardSigmoid(float x, float alpha, float beta) {
  return Clip(alpha * x + beta, 0.0f, 1.0f);
}
DRAGOMAN_RT_INLINE float HardSwish(float x) { return x * Clip(x / 6.0f + 0.5f, 0.0f, 1.0f); }
DRAGOMAN_RT_INLINE float Swish(float x, float alpha) { return x * Sigmoid(alpha * x); }
// x Φ(x), where Φ(-|x|) = t P(t) e^(-x² / 2) with t = 1 / (1 + 0.30406 |x|).
DRAGOMAN_RT_INLINE float Gelu(float x) {
  const float t = 1.0f / (1.0f + 0.304055916f * std::fabs(x));
  float p = 0.03685395f;
  p = p * t - 0.15518664f;
  p = p * t + 0.19185278f;
  p = p * t - 0.04286282f;
  p = p * t + 0.1234222f;
  p = p * t + 0.102475554f;
  p = p * t + 0.12218772f;
  p = p * t + 0.121257305f;
  const float below = p * t * Exp(-0.5f * x * x);
  return x * (x < 0.0f ? below : 1.0f - below);
}
// (1 + tanh(u)) / 2 is the sigmoid of 2 u.
DRAGOMAN_RT_INLINE float GeluTanh(float x) {
  return x * Sigmoid(1.5957691216057308f * (x + 0.044715f * x * x * x));
}
DRAGOMAN_RT_INLINE float Max(float a, float b) {
  const float greater = a > b ? a : b;
  return a != a ? a : greater;
}
DRAGOMAN_RT_INLINE float Min(float a, float b) {
  const float lesser = a < b ? a : b;
  return a != a ? a : lesser;
}
// The nearest number of IEEE 754 binary16, ties to even, as Half(x) is; the loop needs no code of
// 16 bits in between. An anchor whose last place is the unit of the result makes the sum round.
DRAGOMAN_RT_INLINE float RoundToHalf(float x) {
  constexpr std::uint32_t kExponent = 0x7f800000, kLargest = 0x477fe000;  // 65504
  constexpr std::uint32_t kLeastNormal = 0x38800000, kBeyond = 0x47800000, kUp = 13u << 23;
  const std::uint32_t bits = ToBits(x), size = bits & 0x7fffffffu, power = bits & kExponent;
  const std::uint32_t above = power < kLeastNormal ? kLeastNormal : power;
  const float anchor = FromBits((above > kBeyond ? kBeyond : above) + kUp);
  const std::uint32_t rounded = ToBits((FromBits(size) + anchor) - anchor);
  const std::uint32_t beyond = rounded > kExponent ? rounded : kExponent;
  return FromBits((rounded > kLargest ? beyond : rounded) | (bits & 0x80000000u));
}
// The same of bfloat16, the upper half of a float.
DRAGOMAN_RT_INLINE float RoundToBFloat16(float x) {
  const std::uint32_t bits = ToBits(x);
  const float rounded = FromBits((bits + 0x7fffu + (bits >> 16 & 1)) & 0xffff0000u);
  return x != x ? x : rounded;
}

}  // namespace dragoman::rt::fast

#endif  // DRAGOMAN_RUNTIME_FAST_MATH_H_

// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace dragoman::rt {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Every code comes back from float, and a value between two neighbours goes to the nearer one, or
// to the even one from the middle.
template <class T>
void ExpectRoundsToNearestEven(std::uint32_t codes) {
  using Bits = decltype(T::bits);
  for (std::uint32_t code = 0; code < codes; ++code) {
    const float value = T::FromBits(static_cast<Bits>(code));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(T(value))));
      continue;
    }
    ASSERT_EQ(T(value).bits, code);
    const float next = T::FromBits(static_cast<Bits>(code + 1));
    if (code + 1 == codes || !(next > value) || std::isinf(next)) continue;
    const double middle = (static_cast<double>(value) + next) / 2;
    const std::uint32_t even = code + (code & 1);
    ASSERT_EQ(T(middle).bits, even) << middle;
    ASSERT_EQ(T(std::nextafter(middle, -1.0)).bits, code) << middle;
    ASSERT_EQ(T(std::nextafter(middle, HUGE_VAL)).bits, code + 1) << middle;
  }
}

TEST(ElementTest, NarrowFloatsRoundToNearestEven) {
  ExpectRoundsToNearestEven<Half>(0x8000);
  ExpectRoundsToNearestEven<BFloat16>(0x7f80);
  ExpectRoundsToNearestEven<Float8E4M3FN>(0x80);
  ExpectRoundsToNearestEven<Float8E4M3FNUZ>(0x80);
  ExpectRoundsToNearestEven<Float8E5M2>(0x7c);
  ExpectRoundsToNearestEven<Float8E5M2FNUZ>(0x80);
  ExpectRoundsToNearestEven<Float4E2M1>(8);
}

TEST(ElementTest, HalfHasKnownCodes) {
  EXPECT_EQ(Half(1.0f).bits, 0x3c00);
  EXPECT_EQ(Half(-2.0f).bits, 0xc000);
  EXPECT_EQ(Half(65504.0f).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Half(-kInf).bits, 0xfc00);
  EXPECT_EQ(Half(5.9604645e-8f).bits, 1);
  EXPECT_TRUE(std::isnan(static_cast<float>(Half(kNaN))));
}

TEST(ElementTest, IntegersRoundOnce) {
  EXPECT_EQ(static_cast<float>(BFloat16(std::int64_t{-257})), -256.0f);
  // Just above the middle of two neighbours, by less than float or double can hold.
  const std::int64_t above = (std::int64_t{257} << 54) + 1;
  EXPECT_EQ(static_cast<float>(BFloat16(above)), std::ldexp(258.0f, 54));
  EXPECT_EQ(static_cast<float>(BFloat16(above - 1)), std::ldexp(256.0f, 54));
}

TEST(ElementTest, Float8OverflowSaturatesOrNot) {
  EXPECT_EQ(static_cast<float>(Float8E4M3FN(1000.0f)), 448.0f);
  EXPECT_EQ(static_cast<float>(Float8E4M3FN(-kInf)), -448.0f);
  EXPECT_EQ(Float8E4M3FN(-1000.0f, false).bits, 0xff);
  EXPECT_EQ(static_cast<float>(Float8E4M3FNUZ(1000.0f)), 240.0f);
  EXPECT_EQ(Float8E4M3FNUZ(1000.0f, false).bits, 0x80);
  EXPECT_EQ(Float8E4M3FNUZ(-0.0f).bits, 0);
  EXPECT_EQ(static_cast<float>(Float8E5M2(1e6f)), 57344.0f);
  EXPECT_EQ(static_cast<float>(Float8E5M2(-1e6f, false)), -kInf);
  EXPECT_EQ(Float8E5M2FNUZ(kInf, false).bits, 0x80);
}

TEST(ElementTest, ScalesArePowersOfTwo) {
  EXPECT_EQ(static_cast<float>(Float8E8M0(3.0f)), 4.0f);
  EXPECT_EQ(static_cast<float>(Float8E8M0(2.9f)), 2.0f);
  EXPECT_EQ(static_cast<float>(Float8E8M0(0.0f)), std::ldexp(1.0f, -127));
  EXPECT_EQ(Float8E8M0(-1.0f).bits, 0xff);
}

TEST(ElementTest, SmallIntsKeepLowBits) {
  EXPECT_EQ(Int4(7), 7);
  EXPECT_EQ(Int4(8), -8);
  EXPECT_EQ(Int4(-9), 7);
  EXPECT_EQ(UInt4(-1), 15);
  EXPECT_EQ(UInt4(std::uint64_t{17}), 1);
  EXPECT_EQ(Int2(2), -2);
}

TEST(ElementTest, IntegerArithmeticNeverTraps) {
  constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(WrapAdd<std::int32_t>(std::numeric_limits<std::int32_t>::max(), 1), kMin);
  EXPECT_EQ(WrapMul<std::uint16_t>(0xffff, 0xffff), 1);
  EXPECT_EQ(SafeDiv<std::int32_t>(kMin, -1), kMin);
  EXPECT_EQ(SafeDiv<std::int32_t>(7, 0), 0);
  EXPECT_EQ(SafeRemainder<std::int32_t>(kMin, -1), 0);
  EXPECT_EQ(SafeRemainder<std::int32_t>(-7, 3), -1);
}

}  // namespace
}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0
// The kernels that work element by element: unary, binary, activations, Where, Clip, Cast.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "runtime/kernels/activation.h"
#include "runtime/kernels/binary.h"
#include "runtime/kernels/cast.h"
#include "runtime/kernels/clip.h"
#include "runtime/kernels/unary.h"
#include "runtime/kernels/where.h"
#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::IsNan;
using testing::Pointwise;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::int32_t kMin32 = std::numeric_limits<std::int32_t>::min();

TEST(UnaryTest, IntegersWrap) {
  const Dense<std::int32_t> x({3}, {kMin32, -3, 4});
  Dense<std::int32_t> y({3});
  Abs(x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(kMin32, 3, 4));
  Neg(x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(kMin32, 3, -4));
  Sign(x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(-1, -1, 1));
}

TEST(UnaryTest, RoundTakesTiesToEven) {
  const Dense<float> x({5}, {0.5f, 1.5f, 2.5f, -2.5f, 2.6f});
  Dense<float> y({5});
  Round(x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(0, 2, 2, -2, 3));
}

TEST(UnaryTest, SigmoidAndSoftplusDoNotOverflow) {
  const Dense<float> x({3}, {-1000.0f, 0.0f, 1000.0f});
  Dense<float> y({3});
  Sigmoid(x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(0.0f, 0.5f, 1.0f));
  Softplus(x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(0.0f, FloatNear(0.6931472f, 1e-6f), 1000.0f));
}

TEST(UnaryTest, NanPropagates) {
  const Dense<float> x({1}, {kNaN});
  Dense<float> y({1});
  Relu(x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(IsNan()));
  Sign(x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(IsNan()));
}

TEST(UnaryTest, IsInfSelectsSigns) {
  const Dense<float> x({4}, {kInf, -kInf, kNaN, 1.0f});
  Dense<bool> y({4});
  IsInf(IsInfParams{}, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(true, true, false, false));
  IsInfParams positive;
  positive.detect_negative = false;
  IsInf(positive, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(true, false, false, false));
}

TEST(UnaryTest, HalfComputesInFloat) {
  const Dense<Half> x({2}, {Half(1.0f), Half(-1.0f)});
  Dense<Half> y({2});
  Exp(x.In(), y.Out());
  EXPECT_EQ(y.Out()[0].bits, Half(std::exp(1.0f)).bits);
  EXPECT_EQ(y.Out()[1].bits, Half(std::exp(-1.0f)).bits);
}

TEST(ActivationTest, DefaultsAreThoseOfOnnx) {
  const Dense<float> x({3}, {-2.0f, 0.0f, 2.0f});
  Dense<float> y({3});
  LeakyRelu(LeakyReluParams{}, x.In(), y.Out());
  EXPECT_THAT(y.Values(), Pointwise(testing::FloatEq(), {-0.02f, 0.0f, 2.0f}));
  HardSigmoid(HardSigmoidParams{}, x.In(), y.Out());
  EXPECT_THAT(y.Values(), Pointwise(testing::FloatEq(), {0.1f, 0.5f, 0.9f}));
  Elu(EluParams{}, x.In(), y.Out());
  EXPECT_THAT(y.Values(), Pointwise(testing::FloatEq(), {-0.86466472f, 0.0f, 2.0f}));
  Gelu(GeluParams{}, x.In(), y.Out());
  EXPECT_THAT(y.Values(), Pointwise(FloatNear(1e-6f), {-0.04550026f, 0.0f, 1.9544997f}));
}

TEST(ActivationTest, ShrinkOfIntegersComparesInDouble) {
  const Dense<std::int8_t> x({4}, {-2, 0, 1, 3});
  Dense<std::int8_t> y({4});
  ShrinkParams p;
  p.lambd = 1.5f;
  p.bias = 1.0f;
  Shrink(p, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(-1, 0, 0, 2));
}

TEST(BinaryTest, Broadcasts) {
  const Dense<float> column({2, 1}, {10, 20});
  const Dense<float> row({3}, {1, 2, 3});
  Dense<float> sum({2, 3});
  Add(column.In(), row.In(), sum.Out());
  EXPECT_THAT(sum.Values(), ElementsAre(11, 12, 13, 21, 22, 23));
  const Dense<float> scalar({}, {100});
  Dense<float> difference({2, 1});
  Sub(scalar.In(), column.In(), difference.Out());
  EXPECT_THAT(difference.Values(), ElementsAre(90, 80));
}

TEST(BinaryTest, MiddleAxisBroadcasts) {
  const Dense<std::int32_t> x({2, 1, 2}, {1, 2, 3, 4});
  const Dense<std::int32_t> y({1, 3, 1}, {10, 20, 30});
  Dense<std::int32_t> product({2, 3, 2});
  Mul(x.In(), y.In(), product.Out());
  EXPECT_THAT(product.Values(), ElementsAre(10, 20, 20, 40, 30, 60, 30, 40, 60, 80, 90, 120));
}

TEST(BinaryTest, NothingBroadcastsToNothing) {
  const Dense<float> none({0, 3});
  const Dense<float> row({3}, {1, 2, 3});
  Dense<float> sum({0, 3});
  Add(none.In(), row.In(), sum.Out());
  EXPECT_TRUE(sum.Values().empty());
}

TEST(BinaryTest, IntegerDivisionIsDefined) {
  const Dense<std::int32_t> x({4}, {7, -7, kMin32, 5});
  const Dense<std::int32_t> y({4}, {2, 2, -1, 0});
  Dense<std::int32_t> z({4});
  Div(x.In(), y.In(), z.Out());
  EXPECT_THAT(z.Values(), ElementsAre(3, -3, kMin32, 0));
}

TEST(BinaryTest, ModTakesSignOfDivisorOrDividend) {
  const Dense<std::int32_t> x({4}, {-7, 7, -6, 5});
  const Dense<std::int32_t> y({4}, {3, -3, 3, 0});
  Dense<std::int32_t> z({4});
  Mod(ModParams{}, x.In(), y.In(), z.Out());
  EXPECT_THAT(z.Values(), ElementsAre(2, -2, 0, 0));
  ModParams c;
  c.fmod = true;
  Mod(c, x.In(), y.In(), z.Out());
  EXPECT_THAT(z.Values(), ElementsAre(-1, 1, 0, 0));
}

TEST(BinaryTest, IntegerPow) {
  const Dense<std::int32_t> x({6}, {3, -2, 2, -1, 1, 0});
  const Dense<std::int64_t> y({6}, {4, 3, -1, -3, -5, -1});
  Dense<std::int32_t> z({6});
  Pow(x.In(), y.In(), z.Out());
  EXPECT_THAT(z.Values(), ElementsAre(81, -8, 0, -1, 1, 0));
  const Dense<float> half({}, {0.5f});
  Dense<std::int32_t> root({6});
  Pow(x.In(), half.In(), root.Out());
  EXPECT_THAT(root.Values(), ElementsAre(1, 0, 1, 0, 1, 0));
}

TEST(BinaryTest, ShiftByTheWidthGivesZero) {
  const Dense<std::uint8_t> x({3}, {0x81, 0x81, 0x81});
  const Dense<std::uint8_t> y({3}, {1, 7, 8});
  Dense<std::uint8_t> z({3});
  BitShift(BitShiftParams{BitShiftDirection::kLeft}, x.In(), y.In(), z.Out());
  EXPECT_THAT(z.Values(), ElementsAre(0x02, 0x80, 0));
  BitShift(BitShiftParams{BitShiftDirection::kRight}, x.In(), y.In(), z.Out());
  EXPECT_THAT(z.Values(), ElementsAre(0x40, 1, 0));
}

TEST(BinaryTest, MaxOfManyPropagatesNan) {
  const Dense<float> a({3}, {1, kNaN, 3});
  const Dense<float> b({}, {2});
  const Dense<float> c({3}, {0, 0, kNaN});
  const TensorView<const float> operands[] = {a.In(), b.In(), c.In()};
  Dense<float> y({3});
  Max(Views<const float>{operands, 3}, y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(2, IsNan(), IsNan()));
  Mean(Views<const float>{operands, 1}, y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(1, IsNan(), 3));
}

TEST(BinaryTest, StringsCompare) {
  const Dense<std::string> x({2}, {"a", "b"});
  const Dense<std::string> y({}, {"b"});
  Dense<bool> z({2});
  Equal(x.In(), y.In(), z.Out());
  EXPECT_THAT(z.Values(), ElementsAre(false, true));
}

TEST(WhereTest, BroadcastsAllThree) {
  const Dense<bool> condition({2, 1}, {true, false});
  const Dense<std::uint32_t> x({2}, {1, 2});
  const Dense<std::uint32_t> y({}, {9});
  Dense<std::uint32_t> z({2, 2});
  Where(condition.In(), x.In(), y.In(), z.Out());
  EXPECT_THAT(z.Values(), ElementsAre(1, 2, 9, 9));
}

TEST(WhereTest, RowsMayHaveOneConditionOrOneValue) {
  const Dense<bool> each({3}, {true, false, true});
  const Dense<bool> one({2, 1}, {true, false});
  const Dense<std::uint32_t> row({3}, {1, 2, 3});
  const Dense<std::uint32_t> fixed({}, {9});
  Dense<std::uint32_t> z({3});
  Where(each.In(), row.In(), fixed.In(), z.Out());
  EXPECT_THAT(z.Values(), ElementsAre(1, 9, 3));
  Where(each.In(), fixed.In(), row.In(), z.Out());
  EXPECT_THAT(z.Values(), ElementsAre(9, 2, 9));
  Dense<std::uint32_t> rows({2, 3});
  Where(one.In(), row.In(), fixed.In(), rows.Out());
  EXPECT_THAT(rows.Values(), ElementsAre(1, 2, 3, 9, 9, 9));
}

TEST(ClipTest, BoundsMayBeAbsentOrCrossed) {
  const Dense<float> x({3}, {-5, 0, 5});
  const Dense<float> low({}, {3});
  const Dense<float> high({}, {1});
  Dense<float> y({3});
  Clip(x.In(), {}, high.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(-5, 0, 1));
  Clip(x.In(), low.In(), high.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(1, 1, 1));
}

// What torch and ONNX Runtime give on x86-64 for the floats of `x`.
template <class From, class To>
std::vector<To> CastAll(const std::vector<From>& x) {
  const auto count = static_cast<std::int64_t>(x.size());
  const Dense<From> from({count}, x);
  Dense<To> to({count});
  EXPECT_TRUE(Cast(CastParams{}, from.In(), to.Out()).ok());
  return to.Values();
}

TEST(CastTest, FloatsBecomeIntegersTowardsZeroAndBeyondTheirRangeAsOnX86) {
  const std::vector<float> x = {-1.9f, 1.9f, 300.0f, -129.0f, 40000.0f, 3e9f, 1e30f, -kInf, kNaN};
  constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT((CastAll<float, std::int8_t>(x)), ElementsAre(-1, 1, 44, 127, 64, 0, 0, 0, 0));
  EXPECT_THAT((CastAll<float, std::uint8_t>(x)), ElementsAre(255, 1, 44, 127, 64, 0, 0, 0, 0));
  EXPECT_THAT((CastAll<float, std::int16_t>(x)), ElementsAre(-1, 1, 300, -129, -25536, 0, 0, 0, 0));
  EXPECT_THAT((CastAll<float, std::uint16_t>(x)),
              ElementsAre(65535, 1, 300, 65407, 40000, 0, 0, 0, 0));
  EXPECT_THAT((CastAll<float, std::int32_t>(x)),
              ElementsAre(-1, 1, 300, -129, 40000, kMin32, kMin32, kMin32, kMin32));
  EXPECT_THAT((CastAll<float, std::uint32_t>(x)),
              ElementsAre(4294967295u, 1, 300, 4294967167u, 40000, 3000000000u, 0, 0, 0));
  EXPECT_THAT((CastAll<float, std::int64_t>(x)),
              ElementsAre(-1, 1, 300, -129, 40000, 3000000000, kMin64, kMin64, kMin64));
}

TEST(CastTest, DoublesBeyond32BitsKeepTheLowBitsOfUnsignedTypes) {
  const std::vector<double> x = {2147483653.0, -2147483700.0, 1e19, 0x1p64, -1.0};
  EXPECT_THAT((CastAll<double, std::uint8_t>(x)), ElementsAre(5, 204, 0, 0, 255));
  EXPECT_THAT((CastAll<double, std::int8_t>(x)), ElementsAre(0, 0, 0, 0, -1));
  EXPECT_THAT((CastAll<double, std::uint64_t>(x)),
              ElementsAre(2147483653u, 18446744071562067916u, 10000000000000000000u, 0u,
                          18446744073709551615u));
}

// Expected are the numbers of ONNX Runtime 1.31.
TEST(CastTest, FloatsKeepTheLowBitsOfTheNearestIntegersIn4Bits) {
  const std::vector<float> x = {-9.0f, -1.6f, 0.5f, 1.5f, 2.4f, 7.6f, 16.0f, kNaN};
  EXPECT_THAT((CastAll<float, Int4>(x)), ElementsAre(7, -2, 1, 2, 2, -8, 0, 0));
  EXPECT_THAT((CastAll<float, UInt4>(x)), ElementsAre(7, 14, 1, 2, 2, 8, 0, 0));
}

TEST(CastTest, IntegersKeepLowBits) {
  const Dense<std::int32_t> x({3}, {-1, 300, 256});
  Dense<std::uint8_t> bytes({3});
  ASSERT_TRUE(Cast(CastParams{}, x.In(), bytes.Out()).ok());
  EXPECT_THAT(bytes.Values(), ElementsAre(255, 44, 0));
  Dense<bool> truths({3});
  ASSERT_TRUE(Cast(CastParams{}, x.In(), truths.Out()).ok());
  EXPECT_THAT(truths.Values(), ElementsAre(true, true, true));
}

// More than fill a vector.
TEST(CastTest, BoolsAreZeroOrOne) {
  constexpr std::int64_t kCount = 75;
  Dense<bool> x({kCount}), inverse({kCount});
  for (std::int64_t i = 0; i < kCount; ++i) x.Out()[i] = i % 3 == 0;
  Dense<float> floats({kCount});
  Dense<std::int64_t> integers({kCount});
  ASSERT_TRUE(Cast(CastParams{}, x.In(), floats.Out()).ok());
  ASSERT_TRUE(Cast(CastParams{}, x.In(), integers.Out()).ok());
  Not(x.In(), inverse.Out());
  for (std::int64_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(floats.Out()[i], i % 3 == 0 ? 1.0f : 0.0f) << i;
    EXPECT_EQ(integers.Out()[i], i % 3 == 0 ? 1 : 0) << i;
    EXPECT_EQ(inverse.Out()[i], i % 3 != 0) << i;
  }
}

TEST(CastTest, NumbersAndStrings) {
  const Dense<float> x({5}, {0.1f, -2.0f, kInf, kNaN, 1e20f});
  Dense<std::string> text({5});
  ASSERT_TRUE(Cast(CastParams{}, x.In(), text.Out()).ok());
  EXPECT_THAT(text.Values(), ElementsAre("0.1", "-2", "INF", "NaN", "1e+20"));
  const Dense<std::string> names({4}, {"+1.5", "-inf", "NAN", "1E8"});
  Dense<double> numbers({4});
  ASSERT_TRUE(Cast(CastParams{}, names.In(), numbers.Out()).ok());
  EXPECT_THAT(numbers.Values(),
              ElementsAre(1.5, -std::numeric_limits<double>::infinity(), IsNan(), 1e8));
}

TEST(CastTest, RefusesStringsThatAreNoNumbers) {
  for (const char* text : {"", "+", "+-1", "1.5x", "Hello", "1 2", " "}) {
    const Dense<std::string> x({1}, {text});
    Dense<float> y({1});
    EXPECT_FALSE(Cast(CastParams{}, x.In(), y.Out()).ok()) << text;
  }
}

TEST(CastTest, SaturateDecidesOverflowOfFloat8) {
  const Dense<float> x({1}, {1e6f});
  Dense<Float8E4M3FN> y({1});
  ASSERT_TRUE(Cast(CastParams{}, x.In(), y.Out()).ok());
  EXPECT_EQ(y.Out()[0].bits, 0x7e);
  ASSERT_TRUE(Cast(CastParams{false}, x.In(), y.Out()).ok());
  EXPECT_EQ(y.Out()[0].bits, 0x7f);
}

}  // namespace
}  // namespace dragoman::rt

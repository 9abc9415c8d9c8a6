// SPDX-License-Identifier: Apache-2.0
// Quantisation and back: rounding, saturation, scales of axes and blocks.
#include "runtime/kernels/quantize_linear.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/kernels/dynamic_quantize_linear.h"
#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

TEST(QuantizeLinearTest, RoundsToEvenBeforeTheZeroPointAndSaturates) {
  const Dense<float> x({5}, {1, 3, 1000, -1000, 5});
  const Dense<float> scale({}, {2});
  const Dense<std::uint8_t> zero({}, {128});
  Dense<std::uint8_t> y({5});
  QuantizeLinear(QuantizeLinearParams{}, x.In(), scale.In(), zero.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(128, 130, 255, 0, 130));
}

// Expected are the numbers of ONNX Runtime 1.31 on an x86 processor.
TEST(QuantizeLinearTest, NaNBecomesTheLowestNumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Dense<float> x({3}, {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity});
  const Dense<float> scale({}, {0.1f});
  const Dense<std::int8_t> zero({}, {3});
  Dense<std::int8_t> y({3});
  QuantizeLinear(QuantizeLinearParams{}, x.In(), scale.In(), zero.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(-128, 127, -128));
}

TEST(QuantizeLinearTest, TakesAScaleForEachPlaceOnTheAxis) {
  const Dense<float> x({1, 2, 2}, {10, 20, 10, 20});
  const Dense<float> scale({2}, {1, 10});
  const Dense<std::int8_t> zero({2}, {0, 1});
  Dense<std::int8_t> y({1, 2, 2});
  QuantizeLinear(QuantizeLinearParams{}, x.In(), scale.In(), zero.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(10, 20, 2, 3));
}

TEST(QuantizeLinearTest, BlockedWithAShortLastBlock) {
  const Dense<float> x({3, 2}, {10, 20, 30, 40, 50, 60});
  const Dense<float> scale({2, 2}, {10, 20, 5, 30});
  QuantizeLinearParams p;
  p.axis = 0;
  p.block_size = 2;
  Dense<std::int16_t> y({3, 2});
  QuantizeLinear(p, x.In(), scale.In(), TensorView<const std::int16_t>(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(1, 1, 3, 2, 10, 2));
}

TEST(QuantizeLinearTest, NarrowTypesSaturate) {
  const Dense<float> x({3}, {-100, 3, 500});
  const Dense<float> scale({}, {1});
  Dense<Int4> nibbles({3});
  QuantizeLinear(QuantizeLinearParams{}, x.In(), scale.In(), TensorView<const Int4>(),
                 nibbles.Out());
  EXPECT_THAT(nibbles.Values(), ElementsAre(-8, 3, 7));
  Dense<Float8E4M3FN> floats({3});
  QuantizeLinear(QuantizeLinearParams{}, x.In(), scale.In(), TensorView<const Float8E4M3FN>(),
                 floats.Out());
  EXPECT_THAT(floats.Values(), ElementsAre(-96, 3, 448));
}

TEST(DequantizeLinearTest, SubtractsTheZeroPointWithoutOverflow) {
  const Dense<std::uint8_t> x({2}, {0, 255});
  const Dense<float> scale({}, {0.5f});
  const Dense<std::uint8_t> zero({}, {128});
  Dense<float> y({2});
  DequantizeLinear(DequantizeLinearParams{}, x.In(), scale.In(), zero.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(-64, 63.5f));
}

TEST(DynamicQuantizeLinearTest, RangeIncludesZero) {
  const Dense<float> x({3}, {1, 2, 5.1f});
  Dense<std::uint8_t> y({3}), zero({});
  Dense<float> scale({});
  DynamicQuantizeLinear(x.In(), y.Out(), scale.Out(), zero.Out());
  EXPECT_THAT(scale.Values(), ElementsAre(FloatEq(0.02f)));
  EXPECT_THAT(zero.Values(), ElementsAre(0));
  EXPECT_THAT(y.Values(), ElementsAre(50, 100, 255));
}

TEST(DynamicQuantizeLinearTest, ZerosHaveScaleZero) {
  const Dense<float> x({2}, {0, 0});
  Dense<std::uint8_t> y({2}), zero({});
  Dense<float> scale({});
  DynamicQuantizeLinear(x.In(), y.Out(), scale.Out(), zero.Out());
  EXPECT_THAT(scale.Values(), ElementsAre(0));
  EXPECT_THAT(y.Values(), ElementsAre(0, 0));
}

}  // namespace
}  // namespace dragoman::rt

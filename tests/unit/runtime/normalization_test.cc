// SPDX-License-Identifier: Apache-2.0
// Softmax and the normalisations against numbers worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/kernels/batch_normalization.h"
#include "runtime/kernels/dropout.h"
#include "runtime/kernels/instance_normalization.h"
#include "runtime/kernels/layer_normalization.h"
#include "runtime/kernels/lp_normalization.h"
#include "runtime/kernels/lrn.h"
#include "runtime/kernels/mean_variance_normalization.h"
#include "runtime/kernels/softmax.h"
#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;
using testing::Pointwise;

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(SoftmaxTest, AlongAnyAxisWithoutOverflow) {
  const Dense<float> x({2, 2}, {1000, 0, 1000, -kInf});
  Dense<float> y({2, 2});
  Softmax(SoftmaxParams{0}, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(0.5f, 1, 0.5f, 0));
  Softmax(SoftmaxParams{}, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(1, 0, 1, 0));
  LogSoftmax(SoftmaxParams{0}, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(FloatEq(-0.6931472f), 0, FloatEq(-0.6931472f), -kInf));
}

TEST(SoftmaxTest, HardmaxMarksTheFirstMaximum) {
  const Dense<float> x({2, 3}, {1, 3, 3, 2, 1, 0});
  Dense<float> y({2, 3});
  Hardmax(SoftmaxParams{}, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(0, 1, 0, 1, 0, 0));
}

TEST(SoftmaxTest, HardmaxOfLongRows) {
  constexpr std::int64_t kSize = 50;
  Dense<float> x({2, kSize}), y({2, kSize});
  std::vector<float> expected(2 * kSize, 0.0f);
  for (const std::int64_t at : {17, 40}) x.Out().data[at] = x.Out().data[kSize + at + 9] = 2.0f;
  expected[17] = expected[kSize + 26] = 1.0f;
  Hardmax(SoftmaxParams{}, x.In(), y.Out());
  EXPECT_EQ(y.Values(), expected);
}

TEST(SoftmaxTest, OfNothing) {
  Dense<float> y({3, 0});
  Softmax(SoftmaxParams{}, Dense<float>({3, 0}).In(), y.Out());
  EXPECT_TRUE(y.Values().empty());
}

class BatchNormalizationTest : public testing::Test {
 protected:
  const Dense<float> x_{{2, 2, 2}, {1, 3, 0, 0, 5, 7, 4, 4}};
  const Dense<float> scale_{{2}, {1, 2}};
  const Dense<float> b_{{2}, {0, 10}};
  const Dense<float> mean_{{2}, {1, 2}};
  const Dense<float> variance_{{2}, {4, 1}};
  Dense<float> y_{{2, 2, 2}};
  BatchNormalizationParams params_;

  void SetUp() override { params_.epsilon = 0; }
};

TEST_F(BatchNormalizationTest, InferenceUsesGivenStatistics) {
  BatchNormalization(params_, x_.In(), scale_.In(), b_.In(), mean_.In(), variance_.In(), y_.Out(),
                     TensorView<float>(), TensorView<float>());
  EXPECT_THAT(y_.Values(), ElementsAre(0, 1, 6, 6, 2, 3, 14, 14));
}

TEST_F(BatchNormalizationTest, TrainingUsesThoseOfTheBatch) {
  params_.training_mode = true;
  params_.momentum = 0.5f;
  Dense<float> running_mean({2}), running_variance({2});
  BatchNormalization(params_, x_.In(), scale_.In(), b_.In(), mean_.In(), variance_.In(), y_.Out(),
                     running_mean.Out(), running_variance.Out());
  const float r = 1 / std::sqrt(5.0f);
  EXPECT_THAT(y_.Values(),
              Pointwise(FloatNear(1e-6f), {-3 * r, -r, 8.0f, 8.0f, r, 3 * r, 12.0f, 12.0f}));
  EXPECT_THAT(running_mean.Values(), ElementsAre(2.5f, 2));
  EXPECT_THAT(running_variance.Values(), ElementsAre(4.5f, 2.5f));
}

TEST(LayerNormalizationTest, ScalesShiftsAndReportsStatistics) {
  const Dense<float> x({2, 2}, {1, 3, 10, 10});
  const Dense<float> scale({2}, {1, 2});
  const Dense<float> bias({}, {5});
  Dense<float> y({2, 2}), mean({2, 1}), inverse({2, 1});
  LayerNormalizationParams p;
  p.epsilon = 0.0625f;
  LayerNormalization(p, x.In(), scale.In(), bias.In(), y.Out(), mean.Out(), inverse.Out());
  const float r = 1 / std::sqrt(1.0625f);
  EXPECT_THAT(y.Values(), Pointwise(FloatEq(), {5 - r, 5 + 2 * r, 5.0f, 5.0f}));
  EXPECT_THAT(mean.Values(), ElementsAre(2, 10));
  EXPECT_THAT(inverse.Values(), Pointwise(FloatEq(), {r, 4.0f}));
}

TEST(LayerNormalizationTest, BiasAndStatisticsMayBeAbsent) {
  const Dense<double> x({1, 2}, {-1, 1});
  const Dense<double> scale({1, 1}, {3});
  Dense<double> y({1, 2});
  LayerNormalizationParams p;
  p.epsilon = 0;
  LayerNormalization<double, float>(p, x.In(), scale.In(), {}, y.Out(), {}, {});
  EXPECT_THAT(y.Values(), ElementsAre(-3, 3));
}

TEST(LayerNormalizationTest, RmsDoesNotSubtractTheMean) {
  const Dense<float> x({1, 2}, {1, 7});
  const Dense<float> scale({2}, {5, 10});
  Dense<float> y({1, 2});
  LayerNormalizationParams p;
  p.epsilon = 0;
  RMSNormalization(p, x.In(), scale.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(1, 14));
}

TEST(GroupNormalizationTest, StatisticsPerGroupScalePerChannel) {
  const Dense<float> x({1, 4, 1}, {1, 3, 10, 30});
  const Dense<float> scale({4}, {1, 2, 3, 4});
  const Dense<float> bias({4}, {0, 0, 1, 1});
  Dense<float> y({1, 4, 1});
  GroupNormalizationParams p;
  p.epsilon = 0;
  p.num_groups = 2;
  GroupNormalization(p, x.In(), scale.In(), bias.In(), y.Out());
  EXPECT_THAT(y.Values(), Pointwise(FloatNear(1e-6f), {-1.0f, 2.0f, -2.0f, 5.0f}));
}

TEST(InstanceNormalizationTest, StatisticsPerChannel) {
  const Dense<float> x({2, 1, 2}, {0, 2, 10, 14});
  const Dense<float> scale({1}, {2});
  const Dense<float> b({1}, {1});
  Dense<float> y({2, 1, 2});
  InstanceNormalization(InstanceNormalizationParams{0.0f}, x.In(), scale.In(), b.In(), y.Out());
  EXPECT_THAT(y.Values(), Pointwise(FloatNear(1e-6f), {-1.0f, 3.0f, -1.0f, 3.0f}));
}

TEST(LrnTest, WindowOfChannelsIsCutAtTheEnds) {
  const Dense<float> x({1, 3, 1}, {1, 2, 3});
  Dense<float> y({1, 3, 1});
  LRNParams p;
  p.alpha = 2;
  p.beta = 1;
  p.bias = 1;
  p.size = 2;  // the channel itself and the next
  LRN(p, x.In(), y.Out());
  EXPECT_THAT(y.Values(), Pointwise(FloatEq(), {1 / 6.0f, 2 / 14.0f, 3 / 10.0f}));
}

TEST(MeanVarianceNormalizationTest, OverChosenAxes) {
  const Dense<float> x({2, 2}, {1, 0, 5, 8});
  Dense<float> y({2, 2});
  MeanVarianceNormalizationParams p;
  p.axes = {0};
  MeanVarianceNormalization(p, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(-1, -1, 1, 1));
}

TEST(LpNormalizationTest, NormOfZeroStaysZero) {
  const Dense<float> x({2, 2}, {3, -4, 0, 0});
  Dense<float> y({2, 2});
  LpNormalizationParams p;
  LpNormalization(p, x.In(), y.Out());
  EXPECT_THAT(y.Values(), Pointwise(FloatEq(), {0.6f, -0.8f, 0.0f, 0.0f}));
  p.p = 1;
  p.axis = 0;
  LpNormalization(p, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(1, -1, 0, 0));
}

TEST(DropoutTest, CopiesAtInferenceAndDrawsInTraining) {
  const Dense<float> x({2}, {1, 2});
  const Dense<float> ratio({}, {0.5f});
  const Dense<bool> training({}, {true});
  Dense<float> y({2});
  Dense<bool> mask({2});
  RandomSource random;
  const DropoutParams p;
  ASSERT_TRUE(Dropout(p, x.In(), ratio.In(), {}, y.Out(), mask.Out(), random).ok());
  EXPECT_THAT(y.Values(), ElementsAre(1, 2));
  EXPECT_THAT(mask.Values(), ElementsAre(true, true));
  EXPECT_EQ(random.draws(), 0u);

  ASSERT_TRUE(Dropout(p, x.In(), ratio.In(), training.In(), y.Out(), mask.Out(), random).ok());
  EXPECT_EQ(random.draws(), 1u);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(y.Values()[i], mask.Values()[i] ? 2 * x.Values()[i] : 0.0f);
  const Dense<float> all({}, {1.0f});
  EXPECT_FALSE(Dropout(p, x.In(), all.In(), training.In(), y.Out(), mask.Out(), random).ok());
}

}  // namespace
}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0
// Programs of less precision than f32.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/unit/codegen/plan_of.h"

namespace dragoman::onednn {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTwoLayers = R"(graph main(%x: f32[1, 2]) -> (%y: f32[1, 1]) {
  const %w: f32[2, 2] = [[1.0, 2.0], [0.5, -1.00390625]]
  const %b: f32[2] = [0.5, 1.00390625]
  const %v: f32[1, 2] = [[3.0, 1.00390625]]
  %h = dragoman.Linear(%x, %w, %b)
  %y = dragoman.Linear(%h, %v)
})";

// The element types of all buffers in the weights file, by label.
std::string WeightsOf(const Plan& plan) {
  std::string text;
  for (const Buffer& buffer : plan.buffers) {
    if (buffer.storage == Storage::kWeights)
      text += buffer.label + ":" + std::string(Name(buffer.dtype)) + " ";
  }
  return text;
}

TEST(NarrowWeights, ThoseOfTheLastLayerAndBiasesStayWide) {
  const Plan plan = PlanOf(kTwoLayers, {.precision = rt::Precision::kBF16});
  EXPECT_EQ(WeightsOf(plan), "w:bf16 b:f32 v:f32 ");
  // 1.00390625 lies in the middle of two bf16 numbers: to the even one.
  EXPECT_EQ(plan.weights.front().tensor.FloatAt(3), -1.0);
}

TEST(NarrowWeights, ResidualSumsDoNotMakeALayerTheLastOne) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 2]) -> (%y) {
    const %w: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]]
    const %v: f32[2, 2] = [[5.0, 6.0], [7.0, 8.0]]
    %a = dragoman.Linear(%x, %w)
    %b = dragoman.Linear(%a, %v)
    %y = onnx.Add(%a, %b)
  })",
                           {.precision = rt::Precision::kBF16});
  EXPECT_EQ(WeightsOf(plan), "w:bf16 v:f32 ");
}

TEST(NarrowWeights, AModelOfOneLayerHasNoOtherToNarrow) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 2]) -> (%y) {
    const %w: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]]
    %y = dragoman.Linear(%x, %w)
  })",
                           {.precision = rt::Precision::kF16});
  EXPECT_EQ(WeightsOf(plan), "w:f16 ");
}

TEST(NarrowWeights, RecurrentOperatorsHaveTwo) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[2, 1, 2]) -> (%y) {
    const %w: f32[1, 1, 2] = [[[1.0, 2.0]]]
    const %r: f32[1, 1, 1] = [[[0.5]]]
    const %v: f32[2, 1] = [[1.0], [2.0]]
    %states = onnx.RNN(%x, %w, %r) {hidden_size = 1}
    %y = dragoman.Linear(%states, %v)
  })",
                           {.precision = rt::Precision::kBF16});
  EXPECT_EQ(WeightsOf(plan), "w:bf16 r:bf16 v:f32 ");
}

TEST(NarrowWeights, RecurrentOperatorsAreNoLastLayers) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[2, 1, 2]) -> (%y) {
    const %v: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]]
    const %w: f32[1, 1, 2] = [[[1.0, 2.0]]]
    const %r: f32[1, 1, 1] = [[[0.5]]]
    %h = dragoman.Linear(%x, %v)
    %y = onnx.RNN(%h, %w, %r) {hidden_size = 1}
  })",
                           {.precision = rt::Precision::kBF16});
  EXPECT_EQ(WeightsOf(plan), "v:bf16 w:bf16 r:bf16 ");
}

TEST(NarrowWeights, WeightsBeyondTheRangeOfHalfStayWide) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 2]) -> (%y) {
    const %w: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]]
    const %v: f32[2, 2] = [[1.0, 70000.0], [3.0, 4.0]]
    %a = dragoman.Linear(%x, %v)
    %b = dragoman.Linear(%a, %w)
    %y = dragoman.Linear(%b, %w)
  })",
                           {.precision = rt::Precision::kF16});
  EXPECT_EQ(WeightsOf(plan), "v:f32 w:f16 w:f32 ");
}

TEST(NarrowWeights, AModelWithoutSuchProductsIsRefused) {
  const Result<Plan> plan = TryPlan("graph main(%x: f32[2]) -> (%y) { %y = onnx.Relu(%x) }",
                                    {.precision = rt::Precision::kBF16});
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().ToString(), HasSubstr("could be computed in bf16"));
}

TEST(NarrowWeights, ThoseThatTheConstructorComputesStayWide) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 2]) -> (%y) {
    const %w: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]]
    %v = onnx.Neg(%w)
    %a = dragoman.Linear(%x, %v)
    %b = dragoman.Linear(%a, %w)
    %y = dragoman.Linear(%b, %w)
  })",
                           {.precision = rt::Precision::kBF16});
  EXPECT_EQ(WeightsOf(plan), "w:f32 w:bf16 ");
}

}  // namespace
}  // namespace dragoman::onednn

// SPDX-License-Identifier: Apache-2.0
// Which operators on 16-bit floats are computed in f32, and where their results are rounded.
#include "codegen/onednn/plan/widen_halves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codegen/onednn/plan/scalar_ops.h"
#include "tests/unit/codegen/plan_of.h"

namespace dragoman::onednn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

// The scalar operators of the only loop.
std::vector<std::string> Terms(const Plan& plan) {
  std::vector<std::string> terms;
  for (const Step& step : Steps(plan)) {
    if (!step.Is<MapStep>()) continue;
    for (const MapTerm& term : step.As<MapStep>()->terms) terms.emplace_back(term.op->name);
  }
  return terms;
}

TEST(WidenHalves, RoundsWhatEachOperatorGives) {
  const Plan plan = PlanOf(R"(graph main(%x: f16[3, 2]) -> (%y: f16[3, 2]) {
    const %w: f16[2, 2] = [[1.0, 2.0], [3.0, 4.0]]
    const %b: f16[2] = [1.0, 2.0]
    %p = onnx.MatMul(%x, %w)
    %s = onnx.Add(%p, %b)
    %y = onnx.Relu(%s)
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("OnVectors<rt::Cast<rt::Half, float>>", "rt::PreparedLinear",
                                       "map", "OnVectors<rt::Cast<float, rt::Half>>"));
  EXPECT_THAT(Terms(plan), ElementsAre("RoundToHalf", "Add", "RoundToHalf", "Relu"));
}

TEST(WidenHalves, RoundsToTheTypeAtHand) {
  const Plan plan = PlanOf(R"(graph main(%x: bf16[3, n]) -> (%y: bf16[3, n]) {
    %e = onnx.Exp(%x)
    %y = onnx.Tanh(%e)
  })");
  EXPECT_THAT(Terms(plan), ElementsAre("Exp", "RoundToBFloat16", "Tanh"));
}

TEST(WidenHalves, KeepsWhatElseReadsTheRoundedTensor) {
  const Plan plan = PlanOf(R"(graph main(%x: f16[4]) -> (%e: f16[4], %y: f16[4]) {
    %e = onnx.Exp(%x)
    %y = onnx.Tanh(%e)
  })");
  EXPECT_THAT(Terms(plan), ElementsAre("Exp", "RoundToHalf", "Tanh"));
  EXPECT_EQ(Named(plan, "e").dtype, DType::kF16);
}

TEST(WidenHalves, MovesInF32WhatWasComputedInIt) {
  const Plan plan = PlanOf(R"(graph main(%x: f16[2, 3], %c: bool[3, 2]) -> (%y: f16[3, 2]) {
    const %least: f16[] = -65504.0
    %e = onnx.Exp(%x)
    %t = onnx.Transpose(%e)
    %w = onnx.Where(%c, %t, %least)
    %y = onnx.Tanh(%w)
  })");
  EXPECT_THAT(Calls(plan), IsSupersetOf({"Transpose<std::uint32_t>", "Where<std::uint32_t>"}));
}

TEST(WidenHalves, RoundsOnceWhatIsSelectedAndMoved) {
  const Plan plan = PlanOf(R"(graph main(%x: f16[2, 3], %z: f16[2, 3]) -> (%y: f16[3, 2]) {
    %e = onnx.Exp(%x)
    %m = onnx.Max(%e, %z)
    %r = onnx.Relu(%m)
    %t = onnx.Transpose(%r)
    %y = onnx.Tanh(%t)
  })");
  EXPECT_THAT(Terms(plan), ElementsAre("Exp", "RoundToHalf", "Max", "Identity", "Relu", "Identity",
                                       "Identity", "Tanh"));
}

TEST(WidenHalves, LeavesWhatOnlyMovesAndWhatHasNoLoop) {
  EXPECT_THAT(Terms(PlanOf(R"(graph main(%x: f16[2, 3]) -> (%y: f16[3, 2]) {
    %y = onnx.Transpose(%x)
  })")),
              IsEmpty());
  EXPECT_THAT(Calls(PlanOf(R"(graph main(%x: f16[2, 3]) -> (%y: f16[2, 3]) {
    const %axis: i64[] = 1
    %y = onnx.CumSum(%x, %axis)
  })")),
              ElementsAre("OnVectors<rt::CumSum<rt::Half, std::int64_t>>"));
  EXPECT_THAT(Terms(PlanOf(R"(graph main(%x: f64[2]) -> (%y: f64[2]) {
    %y = onnx.Exp(%x)
  })")),
              IsEmpty());
}

}  // namespace
}  // namespace dragoman::onednn

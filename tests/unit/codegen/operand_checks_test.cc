// SPDX-License-Identifier: Apache-2.0
// What a program asks of its operands' sizes before a step, where inference does not know them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/codegen/plan_of.h"

namespace dragoman::onednn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "CheckOperand scale [c]" for each check of the graph's only node.
std::vector<std::string> Checks(const std::string& inputs, const std::string& node) {
  const Result<Plan> plan = TryPlan("graph g(" + inputs + ") -> (%y) {\n%y = " + node + "\n}");
  if (!plan.ok()) return {plan.error().ToString()};
  std::vector<std::string> texts;
  for (const OperandCheck& check : Steps(*plan).front().checks) {
    std::string text = std::string(check.function) + " " + plan->buffer(check.buffer).label;
    if (check.like != kAbsent) text += " " + plan->buffer(check.like).label;
    if (check.rank != 0) text += " " + std::to_string(check.rank);
    for (const Dim& dim : check.sizes.value_or(Shape())) text += " " + dim.ToString();
    texts.push_back(std::move(text));
  }
  return texts;
}

TEST(OperandChecksTest, NothingIsAskedWhereInferenceKnows) {
  EXPECT_THAT(Checks("%x: f32[n, c], %s: f32[c]", "onnx.BatchNormalization(%x, %s, %s, %s, %s)"),
              IsEmpty());
  EXPECT_THAT(Checks("%x: f32[2, 3], %s: f32[3]", "onnx.LayerNormalization(%x, %s)"), IsEmpty());
}

TEST(OperandChecksTest, AVectorHasOneElementAChannel) {
  EXPECT_THAT(Checks("%x: f32[n, 3], %s: f32[k], %b: f32[3]",
                     "onnx.BatchNormalization(%x, %b, %s, %b, %b)"),
              ElementsAre("CheckOperand s 3"));
  EXPECT_THAT(Checks("%x: f32[n, c, h, w], %s: f32[c]",
                     "onnx.GroupNormalization(%x, %s, %s) {num_groups = 2}"),
              ElementsAre("CheckOperand x n 2*(c // 2) h w"));
}

TEST(OperandChecksTest, ASizeFunctionAsksForWhatItSees) {
  EXPECT_THAT(Checks("%x: f32[n, i], %w: f32[o, j], %b: f32[k]", "dragoman.Linear(%x, %w, %b)"),
              ElementsAre("CheckOperand b o"));
  EXPECT_THAT(Checks("%x: f32[n, i], %w: f32[j, o], %c: f32[k]", "onnx.Gemm(%x, %w, %c)"),
              ElementsAre("CheckBroadcastsTo c n o"));
}

TEST(OperandChecksTest, OneNumberIsOneNumber) {
  EXPECT_THAT(Checks("%x: f32[n], %a: f32[m], %b: f32[]", "onnx.Clip(%x, %a, %b)"),
              ElementsAre("CheckOneElement a"));
  EXPECT_THAT(Checks("%x: i8[n, c], %s: f32[k]", "onnx.DequantizeLinear(%x, %s)"),
              ElementsAre("CheckOperand s c"));
}

TEST(OperandChecksTest, AnOperandBroadcastsToAnother) {
  EXPECT_THAT(Checks("%x: f32[n, c], %s: f32[k]", "onnx.LayerNormalization(%x, %s)"),
              ElementsAre("CheckBroadcastsTo s x"));
}

TEST(OperandChecksTest, AConditionIsAskedBeforeItsBranches) {
  EXPECT_THAT(Checks("%x: f32[n], %c: bool[m]",
                     "onnx.If(%c) {then_branch = graph t() -> (%t) { %t = onnx.Neg(%x) }, "
                     "else_branch = graph e() -> (%e) { %e = onnx.Abs(%x) }}"),
              ElementsAre("CheckOneElement c"));
}

}  // namespace
}  // namespace dragoman::onednn

// What the graph of a generated program is made of. Each is run on random inputs, before and after.
#include "codegen/onednn/plan/simplify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"
#include "tests/unit/rewrite/random_inputs.h"

namespace dragoman::onednn {
namespace {

using testing::ElementsAre;

// The operators of the graph, in order.
std::vector<std::string> Simplified(std::string_view text) {
  Result<Model> before = ParseText(text);
  if (!before.ok()) return {before.error().ToString()};
  EXPECT_TRUE(InferModel(*before).ok());
  Model after = Clone(*before);
  const Status status = SimplifyForCpp(after);
  if (!status.ok()) return {status.error().ToString()};
  ExpectSameResults(*before, after);
  std::vector<std::string> types;
  for (const Node& node : after.entries.front().graph->nodes())
    types.push_back(std::string(node.op().type));
  return types;
}

TEST(SimplifyForCpp, MovesZerosIntoAPool) {
  EXPECT_THAT(Simplified(R"(graph main(%x: f32[1, 2, 5, 5]) -> (%y) {
      const %pads: i64[8] = [0, 0, 1, 1, 0, 0, 1, 1]
      %p = onnx.Pad(%x, %pads)
      %y = onnx.AveragePool(%p) {kernel_shape = [3, 3]}
    })"),
              ElementsAre("AveragePool"));
}

TEST(SimplifyForCpp, LeavesOtherPadsAlone) {
  EXPECT_THAT(Simplified(R"(graph main(%x: f32[1, 2, 5, 5]) -> (%y) {
      const %pads: i64[8] = [0, 0, 1, 1, 0, 0, 1, 1]
      const %one: f32[] = 1.0
      %p = onnx.Pad(%x, %pads, %one)
      %y = onnx.AveragePool(%p) {kernel_shape = [3, 3]}
    })"),
              ElementsAre("Pad", "AveragePool"));
}

TEST(SimplifyForCpp, MakesAProductAndASumOfBatchNormalization) {
  EXPECT_THAT(Simplified(R"(graph main(%x: f32[1, 2, 5]) -> (%y) {
      const %a: f32[2] = [1.0, 2.0]
      const %b: f32[2] = [3.0, 4.0]
      %y = onnx.BatchNormalization(%x, %a, %b, %b, %a)
    })"),
              ElementsAre("Mul", "Add"));
}

// A graph that has the deviations of %x from its mean, %d, the %root of their variance, and `end`.
std::string Centred(std::string_view end) {
  return R"(graph main(%x: f32[2, 4], %scale: f32[4], %bias: f32[4]) -> (%y) {
      const %axes: i64[1] = [-1]
      const %two: f32[] = 2.0
      const %epsilon: f32[] = 0.001
      %mean = onnx.ReduceMean(%x, %axes)
      %d = onnx.Sub(%x, %mean)
      %square = onnx.Pow(%d, %two)
      %variance = onnx.ReduceMean(%square, %axes)
      %sum = onnx.Add(%variance, %epsilon)
      %root = onnx.Sqrt(%sum))" +
         std::string(end) + "\n}";
}

TEST(SimplifyForCpp, FindsLayerNormalization) {
  EXPECT_THAT(Simplified(Centred(R"(
      %q = onnx.Div(%d, %root)
      %product = onnx.Mul(%q, %scale)
      %y = onnx.Add(%product, %bias))")),
              ElementsAre("LayerNormalization"));
}

TEST(SimplifyForCpp, FindsRmsNormalization) {
  EXPECT_THAT(Simplified(R"(graph main(%x: f32[2, 4], %scale: f32[4]) -> (%y) {
      const %axes: i64[1] = [1]
      const %epsilon: f32[] = 0.001
      %square = onnx.Mul(%x, %x)
      %mean = onnx.ReduceMean(%square, %axes)
      %sum = onnx.Add(%epsilon, %mean)
      %root = onnx.Sqrt(%sum)
      %inverse = onnx.Reciprocal(%root)
      %q = onnx.Mul(%x, %inverse)
      %y = onnx.Mul(%scale, %q)
    })"),
              ElementsAre("RMSNormalization"));
}

TEST(SimplifyForCpp, FindsNormalizationWithoutScale) {
  EXPECT_THAT(Simplified(Centred("\n%y = onnx.Div(%d, %root)")), ElementsAre("LayerNormalization"));
}

TEST(SimplifyForCpp, FindsNormalizationWithTheScaleFirst) {
  EXPECT_THAT(Simplified(Centred(R"(
      %s = onnx.Mul(%scale, %d)
      %q = onnx.Div(%s, %root)
      %y = onnx.Add(%q, %bias))")),
              ElementsAre("LayerNormalization"));
}

TEST(SimplifyForCpp, LeavesAScaleThatIsDivided) {
  EXPECT_THAT(Simplified(Centred(R"(
      %q = onnx.Div(%scale, %root)
      %y = onnx.Mul(%q, %d))")),
              testing::Contains("Div"));
}

}  // namespace
}  // namespace dragoman::onednn

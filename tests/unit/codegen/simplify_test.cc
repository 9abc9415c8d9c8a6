// SPDX-License-Identifier: Apache-2.0
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

// Of `equation` over operands of these types.
std::vector<std::string> Einsum(const std::string& equation, const std::string& a,
                                const std::string& b) {
  return Simplified("graph main(%a: " + a + ", %b: " + b + ") -> (%y) {\n" +
                    "%y = onnx.Einsum(%a, %b) {equation = \"" + equation + "\"}\n}");
}

TEST(SimplifyForCpp, MakesAProductOfEinsum) {
  const std::vector<std::string> plain = {"MatMul"}, turned = {"Transpose", "MatMul"};
  EXPECT_EQ(Einsum("bij,bjk->bik", "f32[2, 3, 4]", "f32[2, 4, 5]"), plain);
  EXPECT_EQ(Einsum("...ij,...jk", "f32[2, 3, 4]", "f32[2, 4, 5]"), plain);
  EXPECT_EQ(Einsum("bij,bjk->bik", "f32[b, i, j]", "f32[b, j, k]"), plain);
  EXPECT_EQ(Einsum("bhid,bhjd->bhij", "f32[2, 1, 3, 4]", "f32[2, 1, 5, 4]"), turned);
  EXPECT_EQ(Einsum("bij,bjk->bki", "f32[2, 3, 4]", "f32[2, 4, 5]"),
            (std::vector<std::string>{"Transpose", "Transpose", "MatMul"}));
  EXPECT_EQ(Einsum("bij,bjk->ibk", "f32[2, 3, 4]", "f32[2, 4, 5]"),
            (std::vector<std::string>{"MatMul", "Transpose"}));
}

// What scales and adds is a loop after the product, and a transposed weight is packed as it lies.
TEST(SimplifyForCpp, MakesAProductOfGemm) {
  using T = std::vector<std::string>;
  const auto gemm = [](const std::string& c, const std::string& attributes) {
    return Simplified("graph main(%a: f32[2, 2], %b: f32[2, 2], %c: f32[" + c +
                      "]) -> (%y) {\n%y = onnx.Gemm(%a, %b, %c) {" + attributes + "}\n}");
  };
  EXPECT_EQ(gemm("2", "transB = 1"), (T{"Transpose", "MatMul", "Add"}));
  EXPECT_EQ(gemm("2, 1", "alpha = 0.5, transA = 1"), (T{"Transpose", "MatMul", "Mul", "Add"}));
  EXPECT_EQ(gemm("", "alpha = 0.5, beta = 2.0"), (T{"MatMul", "Mul", "Mul", "Add"}));
  const std::string weight =
      "const %b: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]]\n"
      "const %c: f32[2] = [5.0, 6.0]\n";
  const auto by_constant = [&](const std::string& attributes) {
    return Simplified("graph main(%a: f32[n, 2]) -> (%y) {\n" + weight +
                      "%y = onnx.Gemm(%a, %b, %c) {" + attributes + "}\n}");
  };
  EXPECT_EQ(by_constant("transB = 1"), T{"Gemm"});
  EXPECT_EQ(gemm("m", "alpha = 0.5"), T{"Gemm"});  // m must be 1 or 2
  EXPECT_EQ(by_constant("transA = 1, beta = 0.5"), (T{"Transpose", "MatMul", "Mul", "Add"}));
}

TEST(SimplifyForCpp, MakesAProductOfEinsumOverSeveralAxes) {
  using T = std::vector<std::string>;
  EXPECT_EQ(Einsum("bhwc,whkc->bhwk", "f32[2, 3, 4, 5]", "f32[4, 3, 6, 5]"),
            (T{"Transpose", "Transpose", "MatMul", "Transpose"}));
  EXPECT_EQ(Einsum("bijk,bjk->bi", "f32[2, 3, 4, 5]", "f32[2, 4, 5]"),
            (T{"Reshape", "Reshape", "MatMul", "Reshape"}));
  EXPECT_EQ(Einsum("ij,jkl->ikl", "f32[2, 3]", "f32[3, 4, 5]"),
            (T{"Reshape", "MatMul", "Reshape"}));
}

TEST(SimplifyForCpp, MakesAProductOfEinsumThatSumsNothing) {
  EXPECT_THAT(Einsum("bi,bj->bij", "f32[4, 2]", "f32[4, 3]"),
              ElementsAre("Reshape", "Reshape", "MatMul"));
}

TEST(SimplifyForCpp, MakesProductsOfEinsumOfSeveralOperands) {
  const auto einsum = [](const std::string& equation) {
    return Simplified("graph main(%a: f32[2, 3], %b: f32[3, 4], %c: f32[4, 5]) -> (%y) {\n" +
                      ("%y = onnx.Einsum(%a, %b, %c) {equation = \"" + equation + "\"}\n}"));
  };
  EXPECT_THAT(einsum("ij,jk,kl->il"), ElementsAre("MatMul", "MatMul"));
  EXPECT_THAT(einsum("ij,jk,kl->jl"), ElementsAre("MatMul", "Einsum"));
  EXPECT_THAT(einsum("ij,jk,kl->kl"), ElementsAre("Einsum"));
  EXPECT_THAT(einsum("ij,jk,kl->ijkl"), ElementsAre("Einsum"));
  EXPECT_THAT(einsum("ij,jk,...l->i...l"), ElementsAre("Einsum"));
}

TEST(SimplifyForCpp, LeavesOtherEinsumsAlone) {
  const std::vector<std::string> einsum = {"Einsum"};
  EXPECT_EQ(Einsum("ij,ij->ij", "f32[2, 3]", "f32[2, 3]"), einsum);
  EXPECT_EQ(Einsum("ij,ij->i", "f32[2, 3]", "f32[2, 3]"), einsum);
  EXPECT_EQ(Einsum("bi,bij->bij", "f32[2, 3]", "f32[2, 3, 4]"), einsum);
  EXPECT_EQ(Einsum("ijl,jk->ik", "f32[2, 3, 4]", "f32[3, 4]"), einsum);
  EXPECT_EQ(Einsum("ii,ik->k", "f32[2, 2]", "f32[2, 3]"), einsum);
  EXPECT_EQ(Einsum("bij,bjk->bik", "f32[2, 3, 4]", "f32[1, 4, 5]"), einsum);
  EXPECT_EQ(Einsum("bijk,bjk->bi", "f32[2, 3, 4, k]", "f32[2, 4, k]"), einsum);
  EXPECT_EQ(Einsum("bij,bjk->bik", "f64[2, 3, 4]", "f64[2, 4, 5]"), einsum);
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

// `count` items, "[item(0), item(1), …]".
template <class F>
std::string Nested(int count, F item) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "[") + item(i);
  return text + "]";
}

// ConvTranspose of two channels with a weight of such outputs and taps.
std::vector<std::string> Transposed(const std::string& length, int outputs, int taps,
                                    const std::string& attributes) {
  const auto number = [](int i) { return std::to_string(i % 7 - 3) + ".5"; };
  const std::string weight = Nested(2, [&](int i) {
    return Nested(outputs, [&](int o) {
      return Nested(taps, [&](int tap) { return number(tap + 5 * o + 3 * i); });
    });
  });
  const std::string out = std::to_string(outputs);
  return Simplified("graph main(%x: f32[1, 2, " + length + "]) -> (%y) {\n" + "const %w: f32[2, " +
                    out + ", " + std::to_string(taps) + "] = " + weight + "\nconst %b: f32[" + out +
                    "] = " + Nested(outputs, number) + "\n%y = onnx.ConvTranspose(%x, %w, %b) {" +
                    attributes + "}\n}");
}

TEST(SimplifyForCpp, MakesAProductOfATransposedConvOfOneElement) {
  const auto product = ElementsAre("Reshape", "Linear", "Reshape");
  EXPECT_THAT(Transposed("1", 3, 4, "strides = [2], pads = [1, 1]"), product);
  EXPECT_THAT(Transposed("1", 3, 4, "pads = [0, 2], output_padding = [0]"), product);
  EXPECT_THAT(Transposed("1", 2, 3, "strides = [2], pads = [0, 1], output_padding = [1]"), product);
}

TEST(SimplifyForCpp, LeavesOtherTransposedConvsAlone) {
  const auto one = ElementsAre("ConvTranspose");
  EXPECT_THAT(Transposed("5", 8, 4, "strides = [2]"), one);
  EXPECT_THAT(Transposed("n", 1, 4, "strides = [2]"), one);
  EXPECT_THAT(Transposed("1", 1, 4, "dilations = [2]"), one);
  EXPECT_THAT(Transposed("1", 1, 4, "strides = [2], output_padding = [1]"), one);
  EXPECT_THAT(Transposed("1", 1, 9, "strides = [8], auto_pad = \"SAME_UPPER\""), one);
}

TEST(SimplifyForCpp, MakesAConvOfATransposedOneWithoutAStride) {
  EXPECT_THAT(Transposed("5", 3, 4, "pads = [2, 1]"), ElementsAre("Conv"));
  EXPECT_THAT(Transposed("7", 8, 3, "dilations = [3], pads = [0, 6]"), ElementsAre("Conv"));
  EXPECT_THAT(Simplified(R"(graph main(%x: f32[n, 2, 3, 4]) -> (%y) {
      const %w: f32[2, 1, 2, 3] = [[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]], [[[7.0, 8.0, 9.0], [0.0, 1.0, 2.0]]]]
      const %b: f32[2] = [3.0, 4.0]
      %y = onnx.ConvTranspose(%x, %w, %b) {group = 2, pads = [0, 1, 1, 2]}
    })"),
              ElementsAre("Conv"));
  EXPECT_THAT(Transposed("3", 8, 4, ""), ElementsAre("ConvTranspose"));  // mostly zeros
  EXPECT_THAT(Transposed("5", 8, 2, "pads = [2, 0]"), ElementsAre("ConvTranspose"));
}

TEST(SimplifyForCpp, MakesAProductAndASumOfBatchNormalization) {
  EXPECT_THAT(Simplified(R"(graph main(%x: f32[1, 2, 5]) -> (%y) {
      const %a: f32[2] = [1.0, 2.0]
      const %b: f32[2] = [3.0, 4.0]
      %y = onnx.BatchNormalization(%x, %a, %b, %b, %a)
    })"),
              ElementsAre("Mul", "Add"));
}

// The indices, of such sizes, are repeated to those of elements of x.
std::vector<std::string> ByElement(const std::string& indices, const std::string& sizes,
                                   const std::string& node, const std::string& x = "4, 3") {
  return Simplified("graph main(%x: f32[" + x + "], %i: i64[" + indices + "], %u: f32[" + sizes +
                    "]) -> (%y) {\n%s = onnx.Shape(%u)\n%e = onnx.Expand(%i, %s)\n%y = onnx." +
                    node + "\n}");
}

TEST(SimplifyForCpp, GathersWholeRows) {
  const std::string gather = "GatherElements(%x, %e)";
  EXPECT_THAT(ByElement("e, 1", "e, 3", gather), ElementsAre("Squeeze", "Gather"));
  EXPECT_THAT(ByElement("e, 1", "e, 2", gather), testing::Contains("GatherElements"));
  EXPECT_THAT(ByElement("e, 3", "e, 3", gather), testing::Contains("GatherElements"));
  EXPECT_THAT(ByElement("2", "4, 2", gather + " {axis = 1}"), ElementsAre("Gather"));
  EXPECT_THAT(ByElement("3", "4, 3", gather), testing::Contains("GatherElements"));
  EXPECT_THAT(ByElement("e, 1", "e, m", gather, "4, m"), testing::Contains("GatherElements"));
}

TEST(SimplifyForCpp, AddsWholeRows) {
  const std::string add = "ScatterElements(%x, %e, %u) {reduction = \"add\"";
  EXPECT_THAT(ByElement("e, 1", "e, 3", add + "}"), ElementsAre("ScatterND"));
  EXPECT_THAT(ByElement("e, 1", "e, 2", add + "}"), testing::Contains("ScatterElements"));
  EXPECT_THAT(ByElement("2", "4, 2", add + ", axis = 1}"), testing::Contains("ScatterElements"));
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

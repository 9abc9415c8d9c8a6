// SPDX-License-Identifier: Apache-2.0
// Shape rules of convolutions, pools, products and recurrent operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/ops/infer_text.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

constexpr char kImage[] = "%x: f32[n, 4, h, w], %w: f32[8, 4, 3, 3]";

TEST(Conv, SizesAreExpressions) {
  EXPECT_EQ(Infer(kImage, "%y = onnx.Conv(%x, %w)"), "f32[n, 8, h - 2, w - 2]");
  EXPECT_EQ(Infer(kImage, "%y = onnx.Conv(%x, %w) {pads = [1, 1, 1, 1], strides = [2, 1]}"),
            "f32[n, 8, (h + 1) // 2, w]");
  EXPECT_EQ(Infer("%x: f32[1, 4, 9, w], %w: f32[8, 2, 3, 5]",
                  "%y = onnx.Conv(%x, %w) {group = 2, dilations = [2, 1]}"),
            "f32[1, 8, 5, w - 4]");
}

TEST(Conv, SameRoundsUp) {
  EXPECT_EQ(Infer("%x: f32[n, 4, h, 9], %w: f32[8, 4, 3, 3]",
                  "%y = onnx.Conv(%x, %w) {auto_pad = \"SAME_UPPER\", strides = [2, 2]}"),
            "f32[n, 8, (h + 1) // 2, 5]");
}

TEST(Conv, UnknownPartsStayUnknown) {
  EXPECT_EQ(Infer("%x: f32[*], %w: f32[8, 4, 3, 3]", "%y = onnx.Conv(%x, %w)"), "f32[?, 8, ?, ?]");
  EXPECT_EQ(Infer("%x: f32[n, 4, h], %w: f32[*]", "%y = onnx.Conv(%x, %w)"), "f32[n, ?, ?]");
  EXPECT_EQ(Infer("%x: f32[n, 4, 7], %w: f32[*]", "%y = onnx.Conv(%x, %w) {kernel_shape = [3]}"),
            "f32[n, ?, 5]");
}

TEST(Conv, RefusesWhatTheKernelCannotDo) {
  EXPECT_THAT(Infer("%x: f32[n, 3, h, w], %w: f32[8, 4, 3, 3]", "%y = onnx.Conv(%x, %w)"),
              HasSubstr("channels"));
  EXPECT_THAT(Infer(kImage, "%y = onnx.Conv(%x, %w) {group = 0}"), HasSubstr("group"));
  EXPECT_THAT(Infer(kImage, "%y = onnx.Conv(%x, %w) {strides = [0, 1]}"), HasSubstr("strides"));
  EXPECT_THAT(Infer(kImage, "%y = onnx.Conv(%x, %w) {kernel_shape = [3, 5]}"),
              HasSubstr("kernel_shape"));
  EXPECT_THAT(Infer(kImage, "%y = onnx.Conv(%x, %w) {auto_pad = \"NONE\"}"),
              HasSubstr("unknown value 'NONE'"));
  EXPECT_THAT(Infer("%x: f32[1, 4, 2, w], %w: f32[8, 4, 3, 3]", "%y = onnx.Conv(%x, %w)"),
              HasSubstr("larger than the padded operand"));
  EXPECT_THAT(Infer("%x: f32[1, 4, 5], %w: f32[8, 4, 3], %b: f32[7]", "%y = onnx.Conv(%x, %w, %b)"),
              HasSubstr("expected [8]"));
}

TEST(ConvTranspose, SizesAreExpressions) {
  const std::string inputs = "%x: f32[n, 4, h], %w: f32[4, 2, 3]";
  EXPECT_EQ(Infer(inputs, "%y = onnx.ConvTranspose(%x, %w)"), "f32[n, 2, h + 2]");
  EXPECT_EQ(Infer(inputs,
                  "%y = onnx.ConvTranspose(%x, %w) {group = 2, strides = [2], pads = [1, 1], "
                  "output_padding = [1]}"),
            "f32[n, 4, 2*h]");
  EXPECT_EQ(Infer(inputs, "%y = onnx.ConvTranspose(%x, %w) {output_shape = [12]}"),
            "f32[n, 2, 12]");
}

TEST(Pool, CeilModeDropsWindowsInThePadding) {
  const std::string inputs = "%x: f32[n, c, h]";
  EXPECT_EQ(Infer(inputs, "%y = onnx.MaxPool(%x) {kernel_shape = [3], strides = [2]}"),
            "f32[n, c, (h + 1) // 2 - 1]");
  EXPECT_EQ(
      Infer(inputs, "%y = onnx.MaxPool(%x) {kernel_shape = [3], strides = [2], ceil_mode = 1}"),
      "f32[n, c, h // 2]");
  EXPECT_EQ(Infer(inputs, "%y = onnx.GlobalAveragePool(%x)"), "f32[n, c, 1]");
  EXPECT_EQ(Infer(inputs, "%y, %i = onnx.MaxPool(%x) {kernel_shape = [2]}", "%i"),
            "i64[n, c, h - 1]");
}

TEST(Pool, MaxUnpoolGoesBack) {
  EXPECT_EQ(Infer("%x: f32[n, c, h], %i: i64[n, c, h]",
                  "%y = onnx.MaxUnpool(%x, %i) {kernel_shape = [2], strides = [2]}"),
            "f32[n, c, 2*h]");
}

TEST(MatMul, FollowsNumPy) {
  EXPECT_EQ(Infer("%a: f32[b, 1, n, k], %c: f32[4, k, m]", "%y = onnx.MatMul(%a, %c)"),
            "f32[b, 4, n, m]");
  EXPECT_EQ(Infer("%a: f32[k], %c: f32[b, k, m]", "%y = onnx.MatMul(%a, %c)"), "f32[b, m]");
  EXPECT_EQ(Infer("%a: i64[3], %c: i64[3]", "%y = onnx.MatMul(%a, %c)"), "i64[]");
  EXPECT_THAT(Infer("%a: f32[n, 3], %c: f32[4, m]", "%y = onnx.MatMul(%a, %c)"),
              HasSubstr("differs"));
  EXPECT_THAT(Infer("%a: f32[], %c: f32[n, m]", "%y = onnx.MatMul(%a, %c)"), HasSubstr("scalars"));
}

TEST(MatMul, ZeroPointsAreOneALine) {
  const std::string inputs = "%a: u8[2, 3], %b: u8[3, 4], %za: u8[2], %zb: u8[";
  const std::string node = "%y = onnx.MatMulInteger(%a, %b, %za, %zb)";
  EXPECT_EQ(Infer(inputs + "1, 4]", node), "i32[2, 4]");
  EXPECT_THAT(Infer(inputs + "3]", node), HasSubstr("expected [4]"));
}

TEST(Gemm, TransposesAndBroadcasts) {
  EXPECT_EQ(Infer("%a: f32[k, n], %b: f32[m, k], %c: f32[m]",
                  "%y = onnx.Gemm(%a, %b, %c) {transA = 1, transB = 1}"),
            "f32[n, m]");
  EXPECT_THAT(Infer("%a: f32[2, 3], %b: f32[3, 4], %c: f32[3, 4]", "%y = onnx.Gemm(%a, %b, %c)"),
              HasSubstr("expected one that broadcasts to"));
}

TEST(Linear, AppliesToTheLastAxis) {
  EXPECT_EQ(
      Infer("%x: f32[n, t, 3], %w: f32[4, 3], %b: f32[4]", "%y = dragoman.Linear(%x, %w, %b)"),
      "f32[n, t, 4]");
  EXPECT_THAT(Infer("%x: f32[n, 5], %w: f32[4, 3]", "%y = dragoman.Linear(%x, %w)"),
              HasSubstr("features"));
}

std::string Lstm(const std::string& attributes, const std::string& hidden = "8") {
  return Infer(
      "%x: f32[t, b, 4], %w: f32[2, 32, 4], %r: f32[2, 32, " + hidden + "]",
      "%y, %h, %c = onnx.LSTM(%x, %w, %r) {direction = \"bidirectional\"" + attributes + "}",
      "%y, %h, %c");
}

TEST(Recurrent, SizesFollowStepsAndBatch) {
  EXPECT_EQ(Lstm(""), "f32[t, 2, b, 8]; f32[2, b, 8]; f32[2, b, 8]");
  EXPECT_EQ(Lstm(", layout = 1"), "f32[t, b, 2, 8]; f32[t, 2, 8]; f32[t, 2, 8]");
}

TEST(Recurrent, RefusesWhatDoesNotFit) {
  EXPECT_THAT(Lstm("", "7"), HasSubstr("expected sizes"));
  EXPECT_THAT(Lstm(", activations = [\"Tanh\"]"), HasSubstr("activations"));
  EXPECT_THAT(Lstm(", activations = [\"Swish\"]"), HasSubstr("unknown value 'Swish'"));
  EXPECT_THAT(Lstm(", hidden_size = 9"), HasSubstr("hidden_size"));
}

TEST(Linear, ExpandsToGemmOrProductAndSum) {
  Result<Model> model = ParseText(
      "graph g(%x: f32[n, t, 3], %w: f32[4, 3], %b: f32[4]) -> (%y) {\n"
      "%y: f32[n, t, 4] = dragoman.Linear(%x, %w, %b)\n}");
  ASSERT_TRUE(model.ok());
  Graph& graph = model->main();
  const Result<std::vector<Value*>> results = FindOp("dragoman.Linear")->expand(*graph.last_node());
  ASSERT_TRUE(results.ok());
  EXPECT_TRUE((*results)[0]->producer()->Is("Add"));
  EXPECT_EQ((*results)[0]->type().ToString(), "f32[n, t, 4]");
  EXPECT_TRUE(graph.first_node()->Is("Transpose"));
}

}  // namespace
}  // namespace dragoman

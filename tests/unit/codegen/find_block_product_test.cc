// SPDX-License-Identifier: Apache-2.0
// Which products keep their matrix packed. That they compute the right numbers is tested by
// tests/e2e/onnxruntime_operators_test.py.
#include "codegen/onednn/plan/find_block_product.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/codegen/plan_of.h"

namespace dragoman::onednn {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string Rows(int rows, int columns) {
  std::string text;
  for (int row = 0; row < rows; ++row) {
    text += row > 0 ? ", [" : "[";
    for (int i = 0; i < columns; ++i) text += (i > 0 ? ", " : "") + std::to_string((row + i) % 2);
    text += "]";
  }
  return "[" + text + "]";
}

// %q holds three rows of 16 numbers of type `dtype`, %s and %z a scale and a zero point for each 8
// of a row.
std::string Graph(const std::string& dtype, const std::string& lines) {
  return "graph main(%x: f32[n, 16]) -> (%y) {\n  const %q: " + dtype + "[3, 16] = " + Rows(3, 16) +
         "\n  const %z: " + dtype + "[3, 2] = " + Rows(3, 2) + R"(
  const %s: f32[3, 2] = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
  const %b: f32[3] = [1.0, 2.0, 3.0]
)" + lines +
         "\n}";
}

std::string ParamsOf(const Plan& plan) {
  for (const Step& step : Steps(plan)) {
    const auto* call = step.As<KernelStep>();
    if (call != nullptr && call->function == "BlockProduct") return step.params;
  }
  return "";
}

TEST(FindBlockProduct, OfRowsAndOfColumns) {
  for (const char* dtype : {"u2", "u4", "u8"}) {
    const Plan rows = PlanOf(Graph(dtype, R"(
      %w: f32[3, 16] = onnx.DequantizeLinear(%q, %s, %z) {axis = 1, block_size = 8}
      %y: f32[n, 3] = dragoman.Linear(%x, %w, %b))"));
    EXPECT_THAT(Calls(rows), ElementsAre("BlockProduct"));
    const Plan columns = PlanOf(Graph(dtype, R"(
      %w: f32[3, 16] = onnx.DequantizeLinear(%q, %s, %z) {axis = 1, block_size = 8}
      %t: f32[16, 3] = onnx.Transpose(%w) {perm = [1, 0]}
      %y: f32[n, 3] = onnx.MatMul(%x, %t))"));
    EXPECT_THAT(Calls(columns), ElementsAre("BlockProduct"));
    EXPECT_TRUE(columns.constants.steps.empty());  // nothing is widened when the program starts
  }
}

TEST(FindBlockProduct, CutsWhatFillsTheLastBlock) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[2, 3]) -> (%y: f32[2, 2]) {
    const %q: i4[16, 2] = )" +
                           Rows(16, 2) + R"(
    const %s: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]]
    const %start: i64[1] = [0]
    const %end: i64[1] = [3]
    %w: f32[16, 2] = onnx.DequantizeLinear(%q, %s) {axis = 0, block_size = 8}
    %cut: f32[3, 2] = onnx.Slice(%w, %start, %end, %start)
    %y: f32[2, 2] = onnx.MatMul(%x, %cut)
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("BlockProduct"));
  EXPECT_THAT(ParamsOf(plan), HasSubstr("/*inputs=*/3, /*outputs=*/2, /*bits=*/4, /*block=*/8, "
                                        "/*zero=*/8.0f"));  // numbers with sign are 8 less
}

TEST(FindBlockProduct, HasRealZeroPoints) {
  const Plan plan = PlanOf(Graph("u4", R"(
      const %blocks: i64[3] = [3, 2, 8]
      const %whole: i64[2] = [3, 16]
      const %zero: f32[3, 2, 1] = [[[1.5], [2.5]], [[3.5], [4.5]], [[5.5], [6.5]]]
      %real: f32[3, 16] = onnx.Cast(%q) {to = 1}
      %apart: f32[3, 2, 8] = onnx.Reshape(%real, %blocks)
      %centred: f32[3, 2, 8] = onnx.Sub(%apart, %zero)
      %scaled: f32[3, 2, 8] = onnx.Mul(%centred, %zero)
      %w: f32[3, 16] = onnx.Reshape(%scaled, %whole)
      %y: f32[n, 3] = dragoman.Linear(%x, %w))"));
  EXPECT_THAT(Calls(plan), ElementsAre("BlockProduct"));
  EXPECT_TRUE(plan.constants.steps.empty());
}

TEST(FindBlockProduct, WidensWhatOthersRead) {
  const Plan plan = PlanOf(Graph("u4", R"(
      const %last: i64[1] = [-1]
      %w: f32[3, 16] = onnx.DequantizeLinear(%q, %s, %z) {axis = 1, block_size = 8}
      %p: f32[n, 3] = dragoman.Linear(%x, %w)
      %g: f32[n, 3, 16] = onnx.Einsum(%p, %w) {equation = "ni,ik->nik"}
      %y: f32[n, 3] = onnx.ReduceMax(%g, %last) {keepdims = 0})"));
  EXPECT_THAT(Calls(plan), Contains("BlockProduct"));
  EXPECT_EQ(plan.constants.steps.size(), 1u);
}

TEST(FindBlockProduct, LeavesOthers) {
  // One scale for a row, which is not a block; scales that a run gives.
  for (const char* lines : {R"(const %r: f32[3] = [1.0, 2.0, 3.0]
           %w: f32[3, 16] = onnx.DequantizeLinear(%q, %r) {axis = 0}
           %y: f32[n, 3] = dragoman.Linear(%x, %w))",
                            R"(const %first: i64[1] = [0]
           %t: f32[1, 16] = onnx.ReduceMax(%x, %first)
           const %zero: i64[1] = [0]
           %part: f32[1, 1] = onnx.Gather(%t, %zero) {axis = 1}
           %scale: f32[3, 2] = onnx.Mul(%s, %part)
           %w: f32[3, 16] = onnx.DequantizeLinear(%q, %scale) {axis = 1, block_size = 8}
           %y: f32[n, 3] = dragoman.Linear(%x, %w))"}) {
    EXPECT_THAT(Calls(PlanOf(Graph("u4", lines))), Not(Contains("BlockProduct"))) << lines;
  }
}

}  // namespace
}  // namespace dragoman::onednn

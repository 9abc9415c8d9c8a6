// SPDX-License-Identifier: Apache-2.0
// Sizes that operators of data movement and indexing infer from symbolic sizes, and what they
// refuse, each case one node.
#include <gtest/gtest.h>

#include <string>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"

namespace dragoman {
namespace {

struct Rule {
  std::string inputs;     // "%x: f32[n]"
  std::string constants;  // "const %k: i64[1] = [2]"
  std::string node;       // "onnx.TopK(%x, %k)"
  std::string expected;   // the type of the first result, or a part of the error
};

std::string FirstResult(const Rule& rule) {
  const bool two = rule.node.find("TopK") != std::string::npos;
  Result<Model> model = ParseText("graph g(" + rule.inputs + ") -> (%y) {\n" + rule.constants +
                                  "\n" + (two ? "%y, %z = " : "%y = ") + rule.node + "\n}");
  if (!model.ok()) return model.error().ToString();
  const Status status = InferModel(*model);
  if (!status.ok()) return status.error().ToString();
  return model->main().output(0)->type().ToString();
}

TEST(MovementRules, FollowSymbolicSizes) {
  const Rule rules[] = {
      {"%x: f32[n, 3, m]", "", "onnx.Flatten(%x) {axis = 2}", "f32[3*n, m]"},
      {"%x: f32[n, 3, m]", "", "onnx.Flatten(%x) {axis = -3}", "f32[1, 3*m*n]"},
      {"%x: f32[n, 3, m]", "", "onnx.Transpose(%x)", "f32[m, 3, n]"},
      {"%x: f32[*]", "", "onnx.Transpose(%x) {perm = [1, 0]}", "f32[?, ?]"},
      {"%x: f32[n, 1, m]", "const %a: i64[1] = [1]", "onnx.Squeeze(%x, %a)", "f32[n, m]"},
      {"%x: f32[2, 1]", "", "onnx.Squeeze(%x)", "f32[2]"},
      {"%x: f32[n, 1]", "", "onnx.Squeeze(%x)", "f32[*]"},
      {"%x: f32[n]", "const %a: i64[2] = [0, -1]", "onnx.Unsqueeze(%x, %a)", "f32[1, n, 1]"},
      {"%x: f32[n, 3], %z: f32[m, ?]", "", "onnx.Concat(%x, %z) {axis = 0}", "f32[m + n, 3]"},
      {"%x: f32[n, 8], %i: i64[a, b]", "", "onnx.Gather(%x, %i) {axis = 1}", "f32[n, a, b]"},
      {"%x: f32[n, 8], %i: i64[n, k]", "", "onnx.GatherElements(%x, %i) {axis = 1}", "f32[n, k]"},
      {"%x: f32[n, 8, 4], %i: i64[k, 2]", "", "onnx.GatherND(%x, %i)", "f32[k, 4]"},
      {"%x: f32[n, 4], %i: i64[k, 1], %u: f32[k, 4]", "", "onnx.ScatterND(%x, %i, %u)",
       "f32[n, 4]"},
      {"%x: f32[n, 3, 1]", "const %s: i64[4] = [5, 1, 1, 4]", "onnx.Expand(%x, %s)",
       "f32[5, n, 3, 4]"},
      {"%x: f32[n, 3]", "const %r: i64[2] = [2, 3]", "onnx.Tile(%x, %r)", "f32[2*n, 9]"},
      {"%x: f32[n, 3]", "const %p: i64[4] = [1, 0, 1, 2]", "onnx.Pad(%x, %p)", "f32[n + 2, 5]"},
      {"%x: f32[n, c, h, w]", "const %s: f32[4] = [1.0, 1.0, 2.0, 0.5]",
       "onnx.Resize(%x, _, %s) {mode = \"nearest\"}", "f32[n, c, 2*h, w // 2]"},
      {"%x: f32[n, 3, h, 5]", "const %s: f32[4] = [1.0, 1.5, 1.5, 0.7]",
       "onnx.Resize(%x, _, %s) {mode = \"nearest\"}", "f32[n, 4, y, 3]"},
      {"%x: f32[n, 8, h, w]", "", "onnx.DepthToSpace(%x) {blocksize = 2}", "f32[n, 2, 2*h, 2*w]"},
      {"%x: f32[n, c, h, 6]", "", "onnx.SpaceToDepth(%x) {blocksize = 2}",
       "f32[n, 4*c, h // 2, 3]"},
      {"%x: i64[n]", "const %d: i64[] = 10\nconst %v: f32[2] = [0.0, 1.0]",
       "onnx.OneHot(%x, %d, %v)", "f32[n, 10]"},
      {"%x: f32[n, m]", "const %k: i64[1] = [3]", "onnx.TopK(%x, %k)", "f32[n, 3]"},
      {"%x: f32[b, i, j], %z: f32[b, j, k]", "",
       "onnx.Einsum(%x, %z) {equation = \"...ij,...jk->...ik\"}", "f32[b, i, k]"},
      {"%x: f32[n, c, h, w], %g: f32[n, a, b, 2]", "", "onnx.GridSample(%x, %g)",
       "f32[n, c, a, b]"},
      {"%x: f32[n, 3], %c: bool[k]", "", "onnx.Compress(%x, %c) {axis = 0}", "f32[y, 3]"},
      {"%x: f32[n, 3]", "", "onnx.NonZero(%x)", "i64[2, y]"},
      {"%x: f32[n, 3]", "", "onnx.Unique(%x)", "f32[y]"},
      {"%x: f32[2, 3]", "", "onnx.EyeLike(%x) {dtype = 6}", "i32[2, 3]"},
      {"%n: i64[]", "const %z: i64[] = 0\nconst %o: i64[] = 1", "onnx.Range(%z, %n, %o)", "i64[y]"},
  };
  for (const Rule& rule : rules) {
    EXPECT_EQ(FirstResult(rule), rule.expected) << rule.node;
  }
}

TEST(MovementRules, ReadAnyNumberOfStatedParts) {
  constexpr int kParts = 100;
  std::string sizes = "1";
  std::string results = "%y";
  for (int i = 1; i < kParts; ++i) {
    sizes += ", 1";
    results += ", %p" + std::to_string(i);
  }
  Result<Model> model = ParseText("graph g(%x: f32[100, n, 3]) -> (%y) {\nconst %s: i64[100] = [" +
                                  sizes + "]\n" + results + " = onnx.Split(%x, %s)\n}");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  ASSERT_TRUE(InferModel(*model).ok());
  EXPECT_EQ(model->main().output(0)->type().ToString(), "f32[1, n, 3]");
}

TEST(MovementRules, RefuseWhatKernelsTrust) {
  const Rule rules[] = {
      {"%x: f32[4], %s: i64[109], %e: i64[109]", "", "onnx.Slice(%x, %s, %e)",
       "it slices 109 axes of a tensor of rank 1"},
      {"%x: f32[4, 4], %s: i64[2], %e: i64[1]", "", "onnx.Slice(%x, %s, %e)",
       "operand 2 (ends) has type i64[1], expected [2]"},
      {"%x: f32[n, 3]", "", "onnx.Flatten(%x) {axis = 3}", "out of range"},
      {"%x: f32[n, 3]", "", "onnx.Transpose(%x) {perm = [0, 0]}", "repeated"},
      {"%x: f32[n, 3]", "", "onnx.Transpose(%x) {perm = [0, 2]}", "out of range"},
      {"%x: f32[n, 3]", "", "onnx.Transpose(%x) {perm = [0]}", "not of the rank"},
      {"%x: f32[n]", "const %a: i64[2] = [0, 0]", "onnx.Unsqueeze(%x, %a)", "repeated"},
      {"%x: f32[n, 3], %z: f32[n, 4]", "", "onnx.Concat(%x, %z) {axis = 0}", "differ"},
      {"%x: f32[n, 3]", "", "onnx.Concat(%x, %x)", "'axis' is missing"},
      {"%x: f32[n, 3], %i: i64[2]", "", "onnx.Gather(%x, %i) {axis = 2}", "out of range"},
      {"%x: f32[2, 3], %i: i64[4, 3]", "", "onnx.GatherND(%x, %i)", "too many entries"},
      {"%x: f32[n, 3]", "const %s: i64[1] = [-2]", "onnx.Expand(%x, %s)", "a size is -2"},
      {"%x: f32[n, 3]", "const %r: i64[1] = [2]", "onnx.Tile(%x, %r)", "not of the rank"},
      {"%x: f32[n, 3]", "const %p: i64[2] = [2, 2]", "onnx.Pad(%x, %p)", "two entries"},
      {"%x: f32[4, 4], %s: f32[]", "", "onnx.Resize(%x, _, %s)", "scales is not of rank 1"},
      {"%x: f32[4, 4], %s: i64[2, 1]", "", "onnx.Resize(%x, _, _, %s)", "sizes is not of rank 1"},
      {"%x: f32[n, 9, h, w]", "", "onnx.DepthToSpace(%x) {blocksize = 0}", "not positive"},
      {"%x: f32[n]", "const %k: i64[2] = [3, 3]", "onnx.TopK(%x, %k)", "not one number"},
      {"%x: f32[n], %k: i64[]", "", "onnx.Trilu(%x, %k)", "not a matrix"},
      {"%x: f32[n]", "", "onnx.EyeLike(%x)", "not a matrix"},
      {"%x: f32[n]", "", "onnx.Einsum(%x) {equation = \"i,j->ij\"}", "number of operands"},
      {"%x: f32[n]", "", "onnx.Einsum(%x) {equation = \"1\"}", "letters"},
      {"%a: i64[]", "const %z: i64[] = 0", "onnx.Range(%z, %a, %z)", "delta of a range is 0"},
      {"%x: i64[2]", "", "onnx.ConstantOfShape(%x) {value = i64[2] [1, 2]}", "one element"},
  };
  for (const Rule& rule : rules) {
    const std::string message = FirstResult(rule);
    EXPECT_NE(message.find(rule.expected), std::string::npos) << rule.node << ": " << message;
  }
}

}  // namespace
}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// Inference of reductions: types and elements of the results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/ops/infer_text.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

TEST(Reduce, KnownAxesWorkOnSymbols) {
  const std::string x = "%x: f32[n, 3, m]";
  EXPECT_EQ(Infer(x, "const %a: i64[1] = [-1]\n%y = onnx.ReduceSum(%x, %a)"), "f32[n, 3, 1]");
  EXPECT_EQ(Infer(x, "const %a: i64[2] = [0, 2]\n%y = onnx.ReduceMean(%x, %a) {keepdims = 0}"),
            "f32[3]");
}

TEST(Reduce, WithoutAxesReducesAllOrNothing) {
  EXPECT_EQ(Infer("%x: f32[n, 3]", "%y = onnx.ReduceMax(%x)"), "f32[1, 1]");
  EXPECT_EQ(Infer("%x: f32[n, 3]", "%y = onnx.ReduceL2(%x) {keepdims = 0}"), "f32[]");
  EXPECT_EQ(Infer("%x: f32[n, 3]", "%y = onnx.ReduceL1(%x) {noop_with_empty_axes = 1}"),
            "f32[n, 3]");
}

TEST(Reduce, UnknownAxesLeaveAtMostTheRank) {
  const std::string inputs = "%x: f32[n, 3, 1], %a: i64[2]";
  EXPECT_EQ(Infer(inputs, "%y = onnx.ReduceSum(%x, %a)"), "f32[?, ?, 1]");
  EXPECT_EQ(Infer(inputs, "%y = onnx.ReduceSum(%x, %a) {keepdims = 0}"), "f32[?]");
  EXPECT_EQ(Infer("%x: f32[n, 3], %a: i64[k]", "%y = onnx.ReduceSum(%x, %a) {keepdims = 0}"),
            "f32[*]");
}

TEST(Reduce, RefusesWrongAxes) {
  EXPECT_THAT(Infer("%x: f32[n]", "const %a: i64[1] = [1]\n%y = onnx.ReduceSum(%x, %a)"),
              HasSubstr("out of range"));
  EXPECT_THAT(Infer("%x: f32[n, m]", "const %a: i64[2] = [0, -2]\n%y = onnx.ReduceSum(%x, %a)"),
              HasSubstr("twice"));
}

TEST(Reduce, FollowsElements) {
  const std::string shape = "%s = onnx.Shape(%x)\n";
  EXPECT_EQ(Infer("%x: f32[n, 3]", shape + "%y = onnx.ReduceProd(%s) {keepdims = 0}"),
            "i64[] = 3*n");
  EXPECT_EQ(Infer("%x: f32[n, 3]", shape + "%y = onnx.ReduceSum(%s)"), "i64[1] = n + 3");
  EXPECT_EQ(Infer("",
                  "const %c: i64[2, 2] = [[1, 5], [4, 2]]\nconst %a: i64[1] = [1]\n"
                  "%y = onnx.ReduceMax(%c, %a) {keepdims = 0}"),
            "i64[2] = 5, 4");
}

TEST(ArgReduce, DropsOrKeepsTheAxis) {
  EXPECT_EQ(Infer("%x: f32[n, 3]", "%y = onnx.ArgMax(%x) {axis = -1}"), "i64[n, 1]");
  EXPECT_EQ(Infer("%x: f32[n, 3]", "%y = onnx.ArgMin(%x) {keepdims = 0}"), "i64[3]");
  EXPECT_THAT(Infer("%x: f32[n]", "%y = onnx.ArgMax(%x) {axis = 1}"), HasSubstr("out of range"));
  EXPECT_THAT(Infer("%x: f32[0, 2]", "%y = onnx.ArgMax(%x)"), HasSubstr("size 0"));
}

}  // namespace
}  // namespace dragoman

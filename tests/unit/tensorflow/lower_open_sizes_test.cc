// SPDX-License-Identifier: Apache-2.0
// Operators on tensors whose sizes the graph leaves open.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tensorflow/lowered.h"

namespace dragoman {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string LoweredPool(const std::string& op, int size, int stride) {
  const std::string sizes = "[1, " + std::to_string(size) + ", 1, 1]";
  const std::string strides = "[1, " + std::to_string(stride) + ", 1, 1]";
  return Lowered(
      "entry main(%x: f32[1, n, 4, 2]) -> (%y: f32[*]) {\n"
      "  %y = tf:graph.main(%x) {feeds = [\"x:0\"], fetches = [\"y:0\"]}\n"
      "}\n"
      "function tf:graph.main() -> () {\n"
      "  %x = tf.Placeholder() {dtype = type f32[*]} @x\n"
      "  %y = tf." +
      op + "(%x) {T = type f32[*], padding = \"SAME\", ksize = " + sizes +
      ", strides = " + strides +
      "} @y\n"
      "}\n");
}

// Where windows do not touch, ONNX's formula for SAME_UPPER gives negative pads, of which each
// runtime makes something else.
TEST(LowerTensorFlowTest, PadsWindowsApartOfOpenSizesByElements) {
  for (const std::string op : {"MaxPool", "AvgPool"}) {
    EXPECT_THAT(LoweredPool(op, 2, 2), AllOf(HasSubstr("auto_pad"), Not(HasSubstr("onnx.Pad"))));
    EXPECT_THAT(LoweredPool(op, 2, 3), AllOf(HasSubstr("onnx.Pad"), Not(HasSubstr("auto_pad"))));
    EXPECT_THAT(LoweredPool(op, 1, 2), HasSubstr("pads = [0, 0, 0, 0]"));
  }
}

// Runtimes refuse to divide an integer by 0, which the number of elements may be.
TEST(LowerTensorFlowTest, DividesMeansOfIntegersByOneAtLeast) {
  EXPECT_THAT(Lowered(R"(
entry main(%x: i32[n, 4]) -> (%y: i32[*]) {
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["y:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type i32[*]} @x
  %axis = tf.Const() {dtype = type i32[*], value = i32[] 0} @axis
  %y = tf.Mean(%x, %axis) {T = type i32[*], Tidx = type i32[*]} @y
}
)"),
              AllOf(HasSubstr("onnx.Max("), HasSubstr("onnx.Div(")));
}

}  // namespace
}  // namespace dragoman

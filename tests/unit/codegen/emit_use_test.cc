// SPDX-License-Identifier: Apache-2.0
// What codegen says of a program when it is made: the lines that call it, and what a call
// allocates.
#include "codegen/onednn/emit/emit_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "tests/unit/codegen/plan_of.h"

namespace dragoman::onednn {
namespace {

using testing::HasSubstr;

TEST(DescribeAllocations, DependOnSizesAndPrimitives) {
  const auto described = [](std::string_view text) { return DescribeAllocations(PlanOf(text)); };
  EXPECT_EQ(described("graph main(%x: f32[2]) -> (%y) { %y = onnx.Relu(%x) }"),
            "allocates nothing");
  EXPECT_THAT(described("graph main(%x: f32[1, 2, 4]) -> (%y) "
                        "{ %y = onnx.MaxPool(%x) {kernel_shape = [2]} }"),
              HasSubstr("primitives of oneDNN"));
  EXPECT_THAT(described("graph main(%x: f32[n]) -> (%y) { %y = onnx.Relu(%x) }"),
              HasSubstr("where sizes are larger"));
  EXPECT_EQ(described("graph main(%x: str[2], %i: i64[3]) -> (%y) { %y = onnx.Gather(%x, %i) }"),
            "allocates the characters of strings");
  EXPECT_EQ(described("graph main(%x: u8[9]) -> (%y: u8[2, 2, 3]) { %y = onnx.ImageDecoder(%x) }"),
            "allocates what decoding an image takes");
}

TEST(EmitUse, ArraysForKnownSizesTensorsForOthers) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 2], %n: i64[batch, 3]) -> (%y, %z) {
    %y = onnx.Relu(%x)
    %z = onnx.Neg(%n)
  })");
  EXPECT_EQ(EmitUse(plan), R"(#include "test.h"

test::Test model;  // its Options: weights file, threads
float x[2] = {};
const std::int64_t batch = 1;  // as the run has it
auto n = std::make_unique<std::int64_t[]>(batch * 3);
float y[2] = {};
test::rt::Tensor<std::int64_t> z_out;
const test::rt::Status status = model.run(x, {n.get(), batch, 3}, y, z_out);  // status.ok(), status.message()
)");
}

}  // namespace
}  // namespace dragoman::onednn

// SPDX-License-Identifier: Apache-2.0
// Shape rules of Concat.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/ops/infer_text.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

constexpr char kJoin[] = "%y = onnx.Concat(%a, %b) {axis = 1}";

TEST(Concat, SizesAlongTheAxisAreAdded) {
  EXPECT_EQ(Infer("%a: f32[n, 2], %b: f32[n, k]", kJoin), "f32[n, k + 2]");
  EXPECT_EQ(Infer("%a: f32[?, 2], %b: f32[3, ?]", kJoin), "f32[3, ?]");
}

// Also of one whose neighbour has no known rank.
TEST(Concat, EveryOperandHasTheAxis) {
  EXPECT_THAT(Infer("%a: f32[12], %b: f32[*]", kJoin),
              HasSubstr("axis 1 is out of range for rank 1"));
  EXPECT_THAT(Infer("%a: f32[*], %b: f32[12]", kJoin),
              HasSubstr("axis 1 is out of range for rank 1"));
  EXPECT_EQ(Infer("%a: f32[12, 1], %b: f32[*]", kJoin), "f32[*]");
}

}  // namespace
}  // namespace dragoman

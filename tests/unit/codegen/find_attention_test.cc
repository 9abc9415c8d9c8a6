// SPDX-License-Identifier: Apache-2.0
// Which spellings of attention become one step, and which nodes stay.
#include "codegen/onednn/plan/find_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/codegen/plan_of.h"

namespace dragoman::onednn {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(FindAttention, TakesHeadsInPlace) {
  const Plan plan = PlanOf(R"(graph main(%q: f32[1, 5, 12], %k: f32[1, 7, 12], %v: f32[1, 7, 12],
      %mask: f32[1, 1, 1, 7]) -> (%y: f32[1, 5, 12]) {
    const %heads: i64[4] = [0, 0, 3, 4]
    const %joined: i64[3] = [0, 0, 12]
    const %half: f32[] = 2.0
    %q1 = onnx.Reshape(%q, %heads)
    %q2 = onnx.Transpose(%q1) {perm = [0, 2, 1, 3]}
    %k1 = onnx.Reshape(%k, %heads)
    %k2 = onnx.Transpose(%k1) {perm = [0, 2, 3, 1]}
    %v1 = onnx.Reshape(%v, %heads)
    %v2 = onnx.Transpose(%v1) {perm = [0, 2, 1, 3]}
    %s1 = onnx.MatMul(%q2, %k2)
    %s2 = onnx.Div(%s1, %half)
    %s3 = onnx.Add(%s2, %mask)
    %p = onnx.Softmax(%s3) {axis = -1}
    %m = onnx.MatMul(%p, %v2)
    %t = onnx.Transpose(%m) {perm = [0, 2, 1, 3]}
    %y = onnx.Reshape(%t, %joined)
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("rt::PreparedAttention"));
  EXPECT_THAT(plan.prepared.front().init,
              HasSubstr("/*batch=*/{3}, /*queries=*/5, /*keys=*/7, /*depth=*/4, /*features=*/4, "
                        "/*scale=*/0.5f, /*q=*/{0, {4, 12, 1}}, /*k=*/{0, {4, 12, 1}}, "
                        "/*v=*/{0, {4, 12, 1}}, /*y=*/{0, {4, 12, 1}}, "
                        "/*masks=*/{{rt::AttentionMask::Kind::kAdd, 0.0f, {0, {0, 0, 1}}}, {}}"));
}

TEST(FindAttention, SeesPartsOfOneProductAndSharedHeads) {
  // One key head for two heads of queries; all three lie side by side.
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 6, 16]) -> (%y: f32[1, 2, 6, 4]) {
    const %parts: i64[3] = [8, 4, 4]
    const %two: i64[4] = [1, 6, 2, 4]
    const %one: i64[4] = [1, 6, 1, 4]
    const %second: i64[1] = [2]
    const %twice: i64[5] = [1, 1, 2, 6, 4]
    const %all: i64[4] = [1, 2, 6, 4]
    %q, %k, %v = onnx.Split(%x, %parts) {axis = 2}
    %q1 = onnx.Reshape(%q, %two)
    %q2 = onnx.Transpose(%q1) {perm = [0, 2, 1, 3]}
    %k1 = onnx.Reshape(%k, %one)
    %k2 = onnx.Transpose(%k1) {perm = [0, 2, 1, 3]}
    %k3 = onnx.Unsqueeze(%k2, %second)
    %k4 = onnx.Expand(%k3, %twice)
    %k5 = onnx.Reshape(%k4, %all)
    %k6 = onnx.Transpose(%k5) {perm = [0, 1, 3, 2]}
    %v1 = onnx.Reshape(%v, %one)
    %v2 = onnx.Transpose(%v1) {perm = [0, 2, 1, 3]}
    %v3 = onnx.Unsqueeze(%v2, %second)
    %v4 = onnx.Expand(%v3, %twice)
    %v5 = onnx.Reshape(%v4, %all)
    %s = onnx.MatMul(%q2, %k6)
    %p = onnx.Softmax(%s) {axis = 3}
    %y = onnx.MatMul(%p, %v5)
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("rt::PreparedAttention"));
  EXPECT_THAT(plan.prepared.front().init,
              HasSubstr("/*q=*/{0, {4, 16, 1}}, /*k=*/{8, {0, 16, 1}}, /*v=*/{12, {0, 16, 1}}"));
}

TEST(FindAttention, TakesBatchesAndLengthsThatTheRunTells) {
  const Plan plan = PlanOf(R"(graph main(%q: f32[b, n, 12], %k: f32[b, m, 12], %v: f32[b, m, 12],
      %mask: f32[b, 1, 1, m]) -> (%y: f32[b, n, 12]) {
    const %heads: i64[4] = [0, 0, 3, 4]
    const %joined: i64[3] = [0, 0, 12]
    %q1 = onnx.Reshape(%q, %heads)
    %q2 = onnx.Transpose(%q1) {perm = [0, 2, 1, 3]}
    %k1 = onnx.Reshape(%k, %heads)
    %k2 = onnx.Transpose(%k1) {perm = [0, 2, 3, 1]}
    %v1 = onnx.Reshape(%v, %heads)
    %v2 = onnx.Transpose(%v1) {perm = [0, 2, 1, 3]}
    %s1 = onnx.MatMul(%q2, %k2)
    %s2 = onnx.Add(%s1, %mask)
    %p = onnx.Softmax(%s2) {axis = -1}
    %m = onnx.MatMul(%p, %v2)
    %t = onnx.Transpose(%m) {perm = [0, 2, 1, 3]}
    %y = onnx.Reshape(%t, %joined)
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("rt::DynamicAttention"));
  EXPECT_THAT(
      Steps(plan).front().As<PreparedStep>()->sizes,
      HasSubstr("{/*batch=*/{b, 3}, /*queries=*/n, /*keys=*/m, /*depth=*/4, /*features=*/4, "
                "/*scale=*/1.0f, /*q=*/{0, {12 * n, 4, 12, 1}}, /*k=*/{0, {12 * m, 4, 12, 1}}, "
                "/*v=*/{0, {12 * m, 4, 12, 1}}, /*y=*/{0, {12 * n, 4, 12, 1}}, "
                "/*masks=*/{{rt::AttentionMask::Kind::kAdd, 0.0f, {0, {m, 0, 0, 1}}}, {}}"));
}

// %keys of one batch and %values of another, which may be 1 or not fit, and a mask of a length that
// may be 1.
// Exporters name the lengths of both caches, which the product with the values says to be equal.
TEST(FindAttention, ChecksThatThereIsAValueForEachKey) {
  const auto attention = [](const std::string& v) {
    return PlanOf("graph main(%q: f32[n, 2, 1, 4], %k: f32[n, 2, s, 4], %v: f32[" + v +
                  "]) -> (%y: f32[n, 2, 1, 4]) {\n"
                  "%kt = onnx.Transpose(%k) {perm = [0, 1, 3, 2]}\n"
                  "%scores = onnx.MatMul(%q, %kt)\n"
                  "%p = onnx.Softmax(%scores) {axis = -1}\n"
                  "%y = onnx.MatMul(%p, %v)\n}");
  };
  const Plan plan = attention("n, 2, t, 4");
  ASSERT_THAT(Calls(plan), ElementsAre("rt::DynamicAttention"));
  ASSERT_EQ(Steps(plan).front().checks.size(), 1u);
  EXPECT_EQ(Steps(plan).front().checks.front().function, "CheckOperand");
  EXPECT_EQ(plan.buffer(Steps(plan).front().checks.front().buffer).label, "v");
  EXPECT_TRUE(Steps(attention("n, 2, s, 4")).front().checks.empty());
  EXPECT_THAT(Calls(attention("t, 2, t, 4")), Not(Contains("rt::DynamicAttention")));
}

TEST(FindAttention, LeavesToTheRunWhatMayRepeat) {
  const auto calls = [](const std::string& keys, const std::string& values,
                        const std::string& mask) {
    return Calls(PlanOf("graph main(%q: f32[b, n, 4], %k: f32[" + keys + "], %v: f32[" + values +
                        "], %mask: f32[" + mask + R"(]) -> (%y: f32[?, n, 4]) {
    %s = onnx.MatMul(%q, %k)
    %z = onnx.Add(%s, %mask)
    %p = onnx.Softmax(%z) {axis = -1}
    %y = onnx.MatMul(%p, %v)
  })"));
  };
  EXPECT_THAT(calls("b, 4, m", "b, m, 4", "n, m"), ElementsAre("rt::DynamicAttention"));
  EXPECT_THAT(calls("1, 4, m", "b, m, 4", "1, m"), ElementsAre("rt::DynamicAttention"));
  for (const auto& plan :
       {calls("c, 4, m", "b, m, 4", "n, m"), calls("b, 4, m", "c, m, 4", "n, m"),
        calls("b, d, m", "b, m, 4", "n, m"), calls("b, 4, m", "b, m, 4", "n, l")})
    EXPECT_THAT(plan, Not(Contains("rt::DynamicAttention")));
}

// Windows of an image, four each, and a mask for each of these.
TEST(FindAttention, SeesMasksOfABatchThatIsDividedOtherwise) {
  const Plan plan = PlanOf(R"(graph main(%q: f32[8, 3, 5, 4], %k: f32[8, 3, 4, 7],
      %v: f32[8, 3, 7, 4], %mask: f32[4, 1, 5, 7]) -> (%y: f32[8, 3, 5, 4]) {
    const %apart: i64[5] = [2, 4, 3, 5, 7]
    const %together: i64[4] = [8, 3, 5, 7]
    %s = onnx.MatMul(%q, %k)
    %s1 = onnx.Reshape(%s, %apart)
    %s2 = onnx.Add(%s1, %mask)
    %s3 = onnx.Reshape(%s2, %together)
    %p = onnx.Softmax(%s3) {axis = -1}
    %y = onnx.MatMul(%p, %v)
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("rt::PreparedAttention"));
  EXPECT_THAT(plan.prepared.front().init, HasSubstr("{/*batch=*/{2, 4, 3}, "));
  EXPECT_THAT(plan.prepared.front().init,
              HasSubstr("{rt::AttentionMask::Kind::kAdd, 0.0f, {0, {0, 35, 0, 7, 1}}}"));
}

// Attention over %q, %k (transposed) and %v, whose scores become %z by the lines of `between`.
std::string Attend(const std::string& between, const std::string& weights = "%p",
                   const std::string& outputs = "") {
  return R"(graph main(%q: f32[2, 5, 4], %k: f32[2, 4, 7], %v: f32[2, 7, 3], %see: bool[5, 7],
      %mask: f32[5, 7]) -> (%y: f32[2, 5, 3])" +
         outputs + R"() {
    const %low: f32[] = -inf
    const %zero: f32[] = 0.0
    const %two: f32[] = 2.0
    %s = onnx.MatMul(%q, %k)
)" + between +
         R"(
    %y = onnx.MatMul()" +
         weights + R"(, %v)
  })";
}

TEST(FindAttention, ZerosWhatSeesNothing) {
  const Plan plan = PlanOf(Attend(R"(
    %z = onnx.Where(%see, %s, %low)
    %p = onnx.Softmax(%z) {axis = -1}
    %w = onnx.Where(%see, %p, %zero))",
                                  "%w"));
  EXPECT_THAT(Calls(plan), ElementsAre("rt::PreparedAttention"));
  EXPECT_THAT(plan.prepared.front().init, HasSubstr("/*zeros=*/rt::AttentionZeros::kMasked"));
  EXPECT_THAT(plan.prepared.front().init,
              HasSubstr("{rt::AttentionMask::Kind::kKeep, "
                        "-std::numeric_limits<float>::infinity(), {0, {0, 7, 1}}}"));
}

// Where no key is left, as torch has it and as its decomposition spells it.
TEST(FindAttention, ZerosWhatAMaskOfNumbersHides) {
  const auto zeros = [](const std::string& hidden) -> std::string {
    const Plan plan = PlanOf(Attend(R"(
    const %last: i64[1] = [-1]
    %z = onnx.Add(%s, %mask)
    %p = onnx.Softmax(%z) {axis = -1}
)" + hidden + R"(
    %w = onnx.Where(%hidden, %zero, %p))",
                                    "%w"));
    const std::string& init = plan.prepared.front().init;
    return init.substr(std::min(init.find("/*zeros=*/"), init.size()));
  };
  EXPECT_THAT(zeros(R"(
    %most = onnx.ReduceMax(%mask, %last) {keepdims = 1}
    %hidden = onnx.Equal(%most, %low))"),
              StartsWith("/*zeros=*/rt::AttentionZeros::kHiddenMasks"));
  EXPECT_THAT(zeros(R"(
    %equal = onnx.Equal(%z, %low)
    %others = onnx.Not(%equal)
    %any = onnx.ReduceMax(%others, %last) {keepdims = 1}
    %hidden = onnx.Not(%any))"),
              StartsWith("/*zeros=*/rt::AttentionZeros::kHiddenScores"));
  EXPECT_THAT(zeros(R"(
    %most = onnx.ReduceMax(%mask, %last) {keepdims = 1}
    %hidden = onnx.Equal(%most, %two))"),
              IsEmpty());
}

TEST(FindAttention, LeavesAScaleBehindAMask) {
  const Plan plan = PlanOf(Attend(R"(
    %m = onnx.Add(%s, %mask)
    %z = onnx.Mul(%m, %two)
    %p = onnx.Softmax(%z) {axis = -1})"));
  EXPECT_THAT(Calls(plan),
              ElementsAre("rt::PreparedMatMul", "map", "SoftmaxRows", "rt::PreparedMatMul"));
}

TEST(FindAttention, LeavesAnotherAxis) {
  const Plan plan = PlanOf(Attend("    %p = onnx.Softmax(%s) {axis = 1}"));
  EXPECT_THAT(Calls(plan), testing::Not(testing::Contains("rt::PreparedAttention")));
}

TEST(FindAttention, LeavesWeightsThatOthersRead) {
  const Plan plan =
      PlanOf(Attend("    %p = onnx.Softmax(%s) {axis = -1}", "%p", ", %p: f32[2, 5, 7]"));
  EXPECT_THAT(Calls(plan), ElementsAre("rt::PreparedMatMul", "SoftmaxRows", "rt::PreparedMatMul"));
}

}  // namespace
}  // namespace dragoman::onednn

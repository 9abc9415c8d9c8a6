// SPDX-License-Identifier: Apache-2.0
// Which products of one operand become one, and which stay.
#include "codegen/onednn/plan/merge_products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/codegen/plan_of.h"

namespace dragoman::onednn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Attention within %x of `rows` rows and 4 features, one head. `more` lines follow the products.
std::string Attend(int rows, const std::string& products, const std::string& keys = "%k",
                   const std::string& outputs = "", const std::string& more = "") {
  const std::string sizes = std::to_string(rows);
  return "graph main(%x: f32[" + sizes + ", 4]) -> (%y: f32[" + sizes + ", 4]" + outputs + R"() {
    const %wq: f32[4, 4] = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 1, 2, 3], [4, 5, 6, 7]]
    const %wk: f32[4, 4] = [[2, 2, 3, 4], [5, 6, 7, 8], [9, 1, 2, 3], [4, 5, 6, 7]]
    const %wv: f32[4, 4] = [[3, 2, 3, 4], [5, 6, 7, 8], [9, 1, 2, 3], [4, 5, 6, 7]]
    const %bq: f32[4] = [1, 2, 3, 4]
)" + products +
         more + R"(
    %t = onnx.Transpose()" +
         keys + R"() {perm = [1, 0]}
    %s = onnx.MatMul(%q, %t)
    %p = onnx.Softmax(%s) {axis = -1}
    %y = onnx.MatMul(%p, %v)
  })";
}

constexpr char kLinears[] = R"(
    %q = dragoman.Linear(%x, %wq, %bq)
    %k = dragoman.Linear(%x, %wk)
    %v = dragoman.Linear(%x, %wv))";

TEST(MergeProducts, MakesOneOfQueriesKeysAndValues) {
  const Plan plan = PlanOf(Attend(5, kLinears));
  EXPECT_THAT(Calls(plan), ElementsAre("rt::PreparedLinear", "rt::PreparedAttention"));
  EXPECT_THAT(plan.prepared[0].init, HasSubstr("/*in=*/4, /*out=*/12"));
  EXPECT_THAT(plan.prepared[1].init,
              HasSubstr("/*q=*/{0, {12, 1}}, /*k=*/{4, {12, 1}}, /*v=*/{8, {12, 1}}"));
}

TEST(MergeProducts, PutsWeightsSideBySideAndKeepsThemOnce) {
  const Plan plan = PlanOf(Attend(5, R"(
    %q = onnx.MatMul(%x, %wq)
    %k = onnx.MatMul(%x, %wk)
    %v = onnx.MatMul(%x, %wv))"));
  EXPECT_THAT(Calls(plan), ElementsAre("rt::PreparedLinear", "rt::PreparedAttention"));
  ASSERT_EQ(plan.weights.size(), 1u);
  const std::span<const float> merged = plan.weights[0].tensor.data<float>();
  ASSERT_EQ(merged.size(), 48u);
  EXPECT_THAT(merged.first(14), ElementsAre(1, 2, 3, 4, 2, 2, 3, 4, 3, 2, 3, 4, 5, 6));
}

TEST(MergeProducts, LeavesWhatIsReadOtherwise) {
  const Plan plan = PlanOf(Attend(5, kLinears, "%k", ", %v: f32[5, 4]"));
  EXPECT_THAT(Calls(plan),
              ElementsAre("rt::PreparedLinear", "rt::PreparedLinear", "rt::PreparedAttention"));
}

// Keys of one token go into a cache.
TEST(MergeProducts, ReadsPartsOfARowInPlace) {
  const Plan plan = PlanOf(Attend(1, kLinears, "%k2", ", %k2: f32[1, 4]", R"(
    const %one: f32[1, 4] = [[1, 1, 1, 1]]
    %k1 = onnx.Add(%k, %one)
    %k2 = onnx.Tanh(%k1))"));
  EXPECT_THAT(Calls(plan), ElementsAre("rt::OwnLinear", "map", "rt::PreparedAttention"));
}

}  // namespace
}  // namespace dragoman::onednn

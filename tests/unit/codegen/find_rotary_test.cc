// SPDX-License-Identifier: Apache-2.0
// Which spellings of rotary embeddings become one step, and what stays.
#include "codegen/onednn/plan/find_rotary.h"

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

// Heads of 4 features in %x; `lines` turn them as the tables %c and %s of `table` say, into %y.
std::string Heads(const std::string& table, const std::string& lines,
                  const std::string& y = "f32[1, 2, 5, 4]") {
  return "graph main(%x: f32[1, 5, 8], %c: " + table + ", %s: " + table + ") -> (%y: " + y + R"() {
    const %heads: i64[4] = [0, 0, 2, 4]
    const %zero: i64[1] = [0]
    const %one: i64[1] = [1]
    const %two: i64[1] = [2]
    const %end: i64[1] = [9223372036854775807]
    const %last: i64[1] = [-1]
    const %row: i64[4] = [1, 2, 5, 4]
    const %halves: i64[2] = [1, 1]
    const %pairs: i64[5] = [1, 2, 5, 2, 2]
    %h = onnx.Reshape(%x, %heads)
    %t = onnx.Transpose(%h) {perm = [0, 2, 1, 3]}
)" + lines +
         R"(
  })";
}

// The same with %y = %t * %c + %turned * %s, where %turned are the halves %low and %high of the
// features, of which `negated` becomes %neg, in the order `turned`.
std::string Halves(const std::string& table, const std::string& negated,
                   const std::string& turned) {
  return Heads(table, R"(
    %low = onnx.Slice(%t, %zero, %two, %last, %one)
    %high = onnx.Slice(%t, %two, %end, %last, %one)
    %neg = onnx.Neg()" + negated +
                          R"()
    %turned = onnx.Concat()" +
                          turned + R"() {axis = -1}
    %a = onnx.Mul(%t, %c)
    %b = onnx.Mul(%turned, %s)
    %y = onnx.Add(%a, %b))");
}

TEST(FindRotary, TurnsHalvesWhereTheyLie) {
  const Plan plan = PlanOf(Halves("f32[5, 4]", "%high", "%neg, %low"));
  EXPECT_THAT(Calls(plan), ElementsAre("rt::PreparedRotary"));
  EXPECT_THAT(plan.prepared.front().init,
              HasSubstr("{/*batch=*/{2, 5}, /*pairs=*/2, /*interleaved=*/false, "
                        "/*whole_tables=*/true, /*x=*/{0, {4, 8}}, /*cos=*/{0, {0, 4}}, "
                        "/*sin=*/{0, {0, 4}}}"));
}

TEST(FindRotary, TurnsNeighboursOfStackedPairs) {
  const Plan plan = PlanOf(Heads("f32[1, 1, 5, 2]", R"(
    %p = onnx.Reshape(%t, %pairs)
    %first, %second = onnx.Split(%p, %halves) {axis = -1}
    %a = onnx.Squeeze(%first, %last)
    %b = onnx.Squeeze(%second, %last)
    %ac = onnx.Mul(%a, %c)
    %bs = onnx.Mul(%b, %s)
    %as = onnx.Mul(%a, %s)
    %bc = onnx.Mul(%b, %c)
    %re = onnx.Sub(%ac, %bs)
    %im = onnx.Add(%as, %bc)
    %re1 = onnx.Unsqueeze(%re, %last)
    %im1 = onnx.Unsqueeze(%im, %last)
    %both = onnx.Concat(%re1, %im1) {axis = -1}
    %y = onnx.Reshape(%both, %row))"));
  EXPECT_THAT(Calls(plan), ElementsAre("rt::PreparedRotary"));
  EXPECT_THAT(plan.prepared.front().init,
              HasSubstr("/*interleaved=*/true, /*whole_tables=*/false"));
}

TEST(FindRotary, LeavesHalvesThatAreNotExchanged) {
  const Plan plan = PlanOf(Halves("f32[5, 4]", "%low", "%neg, %high"));
  EXPECT_THAT(Calls(plan), Not(Contains("rt::PreparedRotary")));
}

TEST(FindRotary, LeavesTheOtherSense) {
  const Plan plan = PlanOf(Halves("f32[5, 4]", "%low", "%high, %neg"));
  EXPECT_THAT(Calls(plan), Not(Contains("rt::PreparedRotary")));
}

TEST(FindRotary, LeavesTablesThatRepeatWithinARow) {
  const Plan plan = PlanOf(Halves("f32[5, 1]", "%high", "%neg, %low"));
  EXPECT_THAT(Calls(plan), Not(Contains("rt::PreparedRotary")));
}

}  // namespace
}  // namespace dragoman::onednn

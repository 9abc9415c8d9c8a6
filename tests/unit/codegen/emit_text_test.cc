// SPDX-License-Identifier: Apache-2.0
// Sizes, strings and comments as C++ text.
#include "codegen/onednn/emit/text.h"

#include <gtest/gtest.h>

#include "core/ir/dim.h"

namespace dragoman::onednn {
namespace {

Plan PlanWithSymbols() {
  Plan plan;
  plan.symbols = {{"n", "n"}, {"seq len", "seq_len"}};
  return plan;
}

TEST(SizeText, PrintsPolynomialsAsArithmetic) {
  const Plan plan = PlanWithSymbols();
  const Dim n = Dim::Symbol("n");
  const Dim length = Dim::Symbol("seq len");
  EXPECT_EQ(SizeText(plan, Dim(8)), "8");
  EXPECT_EQ(SizeText(plan, n * Dim(2) + Dim(1)), "2 * n + 1");
  EXPECT_EQ(SizeText(plan, n - Dim(3)), "n - 3");
  EXPECT_EQ(SizeText(plan, n * length), "rt::Times(n, seq_len)");
}

TEST(SizeText, RoundsToMinusInfinityByFunctionsOfTheRuntime) {
  const Plan plan = PlanWithSymbols();
  const Dim n = Dim::Symbol("n");
  EXPECT_EQ(SizeText(plan, FloorDiv(n + Dim(1), Dim(2))), "rt::FloorDiv(n + 1, 2)");
  EXPECT_EQ(SizeText(plan, Mod(n, Dim(4))), "rt::FloorMod(n, 4)");
}

TEST(Literal, EscapesWhatCouldEndOrChangeIt) {
  EXPECT_EQ(Literal("a\"b\\c\n?\xff"), R"("a\"b\\c\012\?\377")");
}

TEST(CommentText, StaysOnOneLine) {
  EXPECT_EQ(CommentText("a\nint evil;"), "a/nint evil;");
  EXPECT_EQ(CommentText("ends in a backslash\\"), "ends in a backslash//");
}

TEST(CodeWriter, WrapsLongComments) {
  CodeWriter code;
  code.Comment(std::string(60, 'a') + " " + std::string(60, 'b'));
  EXPECT_EQ(code.Take(), "// " + std::string(60, 'a') + "\n// " + std::string(60, 'b') + "\n");
}

}  // namespace
}  // namespace dragoman::onednn

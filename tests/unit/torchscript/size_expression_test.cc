// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/size_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dragoman::torch {
namespace {

using testing::HasSubstr;

std::string Parsed(std::string_view text) {
  const Result<Dim> dim = ParseSizeExpression(text);
  return dim.ok() ? dim->ToString() : dim.error().ToString();
}

// A symbol as sympy's srepr writes it.
std::string S(const std::string& name) {
  return "Symbol('" + name + "', positive=True, integer=True)";
}

TEST(SizeExpression, ReadsConstructors) {
  EXPECT_EQ(Parsed(S("s77")), "s77");
  EXPECT_EQ(Parsed("Integer(3)"), "3");
  EXPECT_EQ(Parsed("Integer(-3)"), "-3");
  EXPECT_EQ(Parsed("Add(" + S("s0") + ", Integer(1))"), "s0 + 1");
  EXPECT_EQ(Parsed("Mul(Integer(2), " + S("s0") + ", " + S("s1") + ")"), "2*s0*s1");
  EXPECT_EQ(Parsed("FloorDiv(" + S("s0") + ", Integer(2))"), "s0 // 2");
  EXPECT_EQ(Parsed("CleanDiv(" + S("s0") + ", Integer(2))"), "s0 // 2");
  EXPECT_EQ(Parsed("PythonMod(" + S("s0") + ", Integer(4))"), "s0 % 4");
  EXPECT_EQ(Parsed("Max(Integer(1), " + S("u0") + ")"), "max(1, u0)");
  EXPECT_EQ(Parsed("Min(" + S("s0") + ", " + S("s1") + ", Integer(8))"), "min(8, s0, s1)");
  EXPECT_EQ(Parsed("Pow(" + S("s0") + ", Integer(2))"), "s0*s0");
}

TEST(SizeExpression, ReadsWhatSympyPrints) {
  EXPECT_EQ(Parsed("s77 + 1"), "s77 + 1");
  EXPECT_EQ(Parsed("2*s0 - (s1 + 3)"), "2*s0 - s1 - 3");
  EXPECT_EQ(Parsed("s0**2 // 4 % 3"), Parsed("Mod(FloorDiv(Pow(s0, 2), 4), 3)"));
  EXPECT_EQ(Parsed("-s0 + Max(2, s1)"), "-s0 + max(2, s1)");
}

TEST(SizeExpression, IsUnknownWhereNoDimSaysIt) {
  EXPECT_EQ(Parsed("s0/2"), "?");
  EXPECT_EQ(Parsed("IntTrueDiv(" + S("s0") + ", Integer(2))"), "?");
  EXPECT_EQ(Parsed("Where(GreaterThan(" + S("s0") + ", Integer(2)), Integer(1), Integer(0))"), "?");
  EXPECT_EQ(Parsed("Pow(" + S("s0") + ", Integer(100))"), "?");
  EXPECT_EQ(Parsed("s0*0.5"), "?");
}

TEST(SizeExpression, RefusesWhatIsNoExpression) {
  for (const char* text : {"", "s0 +", "s0 s1", "Symbol(3)", "Add(s0", "f('a' 'b')", "'s0'", "s0;",
                           "__import__('os').system('x')", "Integer(1, 2)", "1x"}) {
    EXPECT_THAT(Parsed(text), HasSubstr("expected the expression of a size")) << text;
  }
  EXPECT_THAT(Parsed(std::string(100000, '(')), HasSubstr("expected"));
  EXPECT_THAT(Parsed(std::string(100000, '-')), HasSubstr("expected"));
}

}  // namespace
}  // namespace dragoman::torch

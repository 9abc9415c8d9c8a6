// SPDX-License-Identifier: Apache-2.0
#include "core/ir/dim.h"

#include <gtest/gtest.h>

#include <random>

namespace dragoman {
namespace {

Dim D(std::string_view text) {
  Result<Dim> dim = ParseDim(text);
  EXPECT_TRUE(dim.ok()) << text << ": " << (dim.ok() ? "" : dim.error().ToString());
  return dim.ok() ? *dim : Dim();
}

std::string Normal(std::string_view text) { return D(text).ToString(); }

TEST(Dim, KnownSizesComputeAndUnknownSpreads) {
  EXPECT_EQ(Dim(7) * Dim(3) - Dim(1), Dim(20));
  EXPECT_TRUE((Dim::Unknown() + Dim(1)).unknown());
  EXPECT_EQ(Dim::Unknown() * Dim(0), Dim(0));
  EXPECT_EQ(Normal("-7 // 2"), "-4");
  EXPECT_EQ(Normal("-7 % 2"), "1");
  EXPECT_EQ(CeilDiv(Dim(7), Dim(2)), Dim(4));
}

TEST(Dim, OverflowAndDivisionByZeroAreUnknown) {
  EXPECT_TRUE((Dim(INT64_MAX) + Dim(1)).unknown());
  EXPECT_TRUE((Dim(INT64_MIN) * Dim(-1)).unknown());
  EXPECT_TRUE((Dim::Symbol("n") + Dim(INT64_MIN)).unknown());
  EXPECT_TRUE((Dim::Symbol("n") * Dim(INT64_MIN)).unknown());
  EXPECT_TRUE((Dim(0) - Dim(INT64_MIN)).unknown());
  EXPECT_TRUE(FloorDiv(Dim(INT64_MIN), Dim(-1)).unknown());
  EXPECT_TRUE(FloorDiv(Dim(1), Dim(0)).unknown());
  EXPECT_TRUE(Mod(Dim::Symbol("n"), Dim(0)).unknown());
}

TEST(Dim, PolynomialsHaveOneNormalForm) {
  EXPECT_EQ(Normal("1 + n + n"), "2*n + 1");
  EXPECT_EQ(Normal("(n + 1) * (n - 1)"), "n*n - 1");
  EXPECT_EQ(Normal("b*a - a*b"), "0");
  EXPECT_EQ(Normal("h*w*3 + h"), "3*h*w + h");
}

TEST(Dim, ExactQuotientsCancel) {
  EXPECT_EQ(Normal("n*c*h*w // (n*c)"), "h*w");
  EXPECT_EQ(Normal("(n*n - 1) // (n + 1)"), "n - 1");
  EXPECT_EQ(Normal("12*n // 4"), "3*n");
  EXPECT_EQ(Normal("6*n*h // (4*n)"), "h + h // 2");
}

TEST(Dim, ConstantDivisorsReduce) {
  EXPECT_EQ(Normal("(n + 3) // 2"), "(n + 1) // 2 + 1");
  EXPECT_EQ(Normal("(2*n + 1) // 4"), "n // 2");
  EXPECT_EQ(Normal("(n // 2) // 3"), "n // 6");
  EXPECT_EQ(Normal("(4*n + 7) % 4"), "3");
  EXPECT_EQ(Normal("(n % 4) // 4"), "0");
  EXPECT_EQ(Normal("-n // 2"), "-n + n // 2");
}

TEST(Dim, ChainsOfStridedConvolutionsStayFlat) {
  Dim size = Dim::Symbol("h");
  for (int i = 0; i < 5; ++i) size = FloorDiv(size + Dim(2 - 3), Dim(2)) + Dim(1);
  EXPECT_EQ(size.ToString(), "(h + 31) // 32");
}

TEST(Dim, MinimumAndMaximumUseBounds) {
  EXPECT_EQ(Normal("min(n, 0)"), "0");
  EXPECT_EQ(Normal("max(n, 0)"), "n");
  EXPECT_EQ(Normal("max(n, n + 1)"), "n + 1");
  EXPECT_EQ(Normal("min(8, min(n, 4))"), "min(4, n)");
  EXPECT_EQ(Normal("min(m, n, m)"), "min(m, n)");
}

TEST(Dim, BroadcastKeepsWhatIsNotOne) {
  EXPECT_EQ(Normal("broadcast(n, 1)"), "n");
  EXPECT_EQ(Normal("broadcast(n, n)"), "n");
  EXPECT_EQ(Normal("broadcast(n, 8)"), "8");
  EXPECT_EQ(Normal("broadcast(n, 2*m)"), "2*m");
  EXPECT_EQ(Normal("broadcast(m, broadcast(n, m))"), "broadcast(m, n)");
  EXPECT_EQ(Normal("broadcast(n, min(n, 64))"), "n");
  EXPECT_EQ(Normal("broadcast(min(n, 64), broadcast(m, n))"), "broadcast(m, n)");
  EXPECT_EQ(Normal("broadcast(n, min(n, m))"), "broadcast(n, min(m, n))");
  EXPECT_EQ(Normal("broadcast(n - 1, max(n - 1, 0))"), "n - 1");
  EXPECT_EQ(Normal("broadcast(n - 1, max(n - 1, 1))"), "broadcast(n - 1, max(1, n - 1))");
  EXPECT_EQ(Broadcast(Dim(), Dim(5)), Dim(5));
  EXPECT_TRUE(Broadcast(Dim(), Dim(1)).unknown());
  EXPECT_TRUE(Broadcast(Dim(2), Dim(3)).unknown());
}

TEST(Dim, ComparisonAnswersYesNoOrUnknown) {
  EXPECT_EQ(Equal(D("n + n"), D("2*n")), Truth::kYes);
  EXPECT_EQ(Equal(D("n"), D("n + 1")), Truth::kNo);
  EXPECT_EQ(Equal(D("2*n"), D("2*m + 1")), Truth::kNo);
  EXPECT_EQ(Equal(D("n"), D("m")), Truth::kUnknown);
  EXPECT_EQ(Equal(Dim(), Dim()), Truth::kUnknown);
  EXPECT_EQ(Less(D("n % 4"), D("4")), Truth::kYes);
  EXPECT_EQ(Less(D("n"), D("0")), Truth::kNo);
  EXPECT_EQ(Less(D("n"), D("m")), Truth::kUnknown);
  EXPECT_EQ(LessEqual(D("n // 2"), D("n + m")), Truth::kUnknown);
  EXPECT_EQ(LessEqual(D("n"), D("n + m")), Truth::kYes);
}

TEST(Dim, RangesFollowTheAtoms) {
  EXPECT_EQ(RangeOf(D("2*n + 1")), (DimRange{1, DimRange::kNoUpper}));
  EXPECT_EQ(RangeOf(D("5 - n % 4")), (DimRange{2, 5}));
  EXPECT_EQ(RangeOf(D("min(n, 8)")), (DimRange{0, 8}));
  EXPECT_EQ(RangeOf(D("n - m")), DimRange());
}

TEST(Dim, SubstituteNormalises) {
  EXPECT_EQ(D("(n*m) // 4").Substitute({{"m", Dim(8)}}), D("2*n"));
  EXPECT_EQ(D("n - m").Substitute({{"n", D("m")}, {"m", D("n")}}), D("m - n"));
}

TEST(Dim, SymbolsAreSortedAndUnique) {
  EXPECT_EQ(D("z*a + min(b, z) // 3").Symbols(), (std::vector<std::string>{"a", "b", "z"}));
}

TEST(Dim, AnyNameCanBeASymbol) {
  for (const char* name : {"seq len", "min", "2*n", "", "a\"b\\", "größe"}) {
    const Dim symbol = Dim::Symbol(name);
    EXPECT_EQ(D(symbol.ToString()), symbol) << symbol.ToString();
    ASSERT_NE(symbol.symbol(), nullptr);
    EXPECT_EQ(*symbol.symbol(), name);
  }
}

TEST(Dim, WhatOutgrowsTheLimitsIsUnknown) {
  Dim deep = Dim::Symbol("n");
  for (int i = 0; i < 2 * Dim::kMaxNesting; ++i) deep = Mod(deep * deep + Dim(1), Dim(1000 + i));
  EXPECT_TRUE(deep.unknown());
  Dim wide(0);
  for (int i = 0; i < 100; ++i) wide = wide + Dim::Symbol("s" + std::to_string(i));
  EXPECT_TRUE(wide.unknown());
}

TEST(ParseDim, SaysWhereItFails) {
  for (const char* text : {"", "n +", "(n", "n)", "min(n", "min n", "2 n", "99999999999999999999",
                           "\"n", "n / 2", "--n", "1 // 0"}) {
    EXPECT_FALSE(ParseDim(text).ok()) << text;
  }
  EXPECT_EQ(ParseDim("n + $").error().ToString(),
            InvalidInput("expected a size at byte 4 of size 'n + $'").ToString());
  EXPECT_FALSE(ParseDim(std::string(100000, '(')).ok());
  EXPECT_FALSE(ParseDim(std::string(100000, '-')).ok());
  EXPECT_TRUE(D("? + 1").unknown());
  EXPECT_EQ(D("-9223372036854775808"), Dim(INT64_MIN));
}

// An expression and, computed beside it without normalising, its value; nullopt where undefined.
struct Sample {
  Dim dim;
  std::optional<std::int64_t> value;
};

const std::map<std::string, std::int64_t> kAssignments[] = {{{"a", 1}, {"b", 2}, {"c", 3}},
                                                            {{"a", 4}, {"b", 1}, {"c", 12}},
                                                            {{"a", 7}, {"b", 5}, {"c", 1}}};

std::optional<std::int64_t> Compute(int op, std::int64_t x, std::int64_t y) {
  const std::int64_t quotient = y == 0 ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0));
  switch (op) {
    case 0:
      return x + y;
    case 1:
      return x - y;
    case 2:
      return x * y;
    case 3:
      return y == 0 ? std::nullopt : std::optional(quotient);
    case 4:
      return y == 0 ? std::nullopt : std::optional(x - y * quotient);
    case 5:
      return std::min(x, y);
    case 6:
      return std::max(x, y);
    default:
      return x == 1 ? std::optional(y) : y == 1 || x == y ? std::optional(x) : std::nullopt;
  }
}

Dim Combine(int op, const Dim& x, const Dim& y) {
  switch (op) {
    case 0:
      return x + y;
    case 1:
      return x - y;
    case 2:
      return x * y;
    case 3:
      return FloorDiv(x, y);
    case 4:
      return Mod(x, y);
    case 5:
      return Min(x, y);
    case 6:
      return Max(x, y);
    default:
      return Broadcast(x, y);
  }
}

Sample Draw(std::mt19937& random, int depth,
            const std::map<std::string, std::int64_t>& assignment) {
  if (depth == 0 || random() % 5 == 0) {
    if (random() % 2 == 0) {
      const std::int64_t value = static_cast<std::int64_t>(random() % 9) - 2;
      return {Dim(value), value};
    }
    const std::string name(1, static_cast<char>('a' + random() % 3));
    return {Dim::Symbol(name), assignment.at(name)};
  }
  const Sample x = Draw(random, depth - 1, assignment);
  const Sample y = Draw(random, depth - 1, assignment);
  const int op = static_cast<int>(random() % 8);
  Sample result{Combine(op, x.dim, y.dim), std::nullopt};
  if (x.value && y.value) result.value = Compute(op, *x.value, *y.value);
  return result;
}

TEST(DimProperty, NormalFormsKeepTheirValue) {
  std::mt19937 random(7);
  int checked = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto& assignment = kAssignments[i % 3];
    const Sample sample = Draw(random, 4, assignment);
    if (!sample.value || sample.dim.unknown()) continue;
    const std::optional<std::int64_t> value = sample.dim.Evaluate(assignment);
    ASSERT_EQ(value, sample.value) << i << ": " << sample.dim.ToString();
    const DimRange range = RangeOf(sample.dim);
    ASSERT_TRUE(range.lower <= *value && *value <= range.upper) << sample.dim.ToString();
    ++checked;
  }
  EXPECT_GT(checked, 7000);
}

TEST(DimProperty, TextAndSubstitutionKeepTheNormalForm) {
  std::mt19937 random(11);
  for (int i = 0; i < 5000; ++i) {
    const Dim dim = Draw(random, 4, kAssignments[0]).dim;
    ASSERT_EQ(D(dim.ToString()), dim) << i << ": " << dim.ToString();
    ASSERT_EQ(dim.Substitute({}), dim) << i << ": " << dim.ToString();
    ASSERT_EQ(D(dim.ToString()).hash(), dim.hash());
  }
}

}  // namespace
}  // namespace dragoman

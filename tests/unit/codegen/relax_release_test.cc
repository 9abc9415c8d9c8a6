// SPDX-License-Identifier: Apache-2.0
// Calls as older releases of TVM have them.
#include "codegen/relax/release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace dragoman::relax {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Said(const std::string& expression, Release release) {
  const Result<std::string> said = InRelease(expression, release);
  return said.ok() ? *said : "error: " + said.error().ToString();
}

TEST(RelaxRelease, TheLatestReadsTheTextAsItIs) {
  const std::string text = "R.take(x, i, axis=0, mode=\"fast\")";
  EXPECT_EQ(Said(text, Release::kLatest), text);
}

TEST(RelaxRelease, ParametersThatAreUnknownAreLeftOut) {
  EXPECT_EQ(Said("R.take(x, i, axis=0, mode=\"fast\")", Release::k021), "R.take(x, i, axis=0)");
}

TEST(RelaxRelease, CallsWithinCallsAreSaidToo) {
  EXPECT_EQ(Said("R.add(R.trunc(x), R.const(1.0, \"float32\"))", Release::k019),
            "R.add(R.multiply(R.sign(x), R.floor(R.abs(x))), R.const(1.0, \"float32\"))");
}

TEST(RelaxRelease, ElementsOfATupleAreStackedByConcatenation) {
  EXPECT_EQ(Said("R.stack((a, R.exp(b)), axis=1)", Release::k019),
            "R.concat((R.expand_dims(a, axis=[1]), R.expand_dims(R.exp(b), axis=[1]),), axis=1)");
  EXPECT_EQ(Said("R.stack((a,), axis=0)", Release::k021), "R.stack((a,), axis=0)");
}

TEST(RelaxRelease, TextInQuotesStays) {
  const std::string text = "R.print(x, format=\"R.size(\\\"x), {}\")";
  EXPECT_EQ(Said(text, Release::k017), text);
}

TEST(RelaxRelease, NamesOfFunctionsAreNoOperators) {
  EXPECT_EQ(Said("cls.R.size(x)[0]", Release::k017), "cls.R.size(x)[0]");
  EXPECT_EQ(Said("(lv, lv1)", Release::k017), "(lv, lv1)");
}

TEST(RelaxRelease, ReleasesBetweenTwoHaveTheTextOfTheOlderOne) {
  EXPECT_EQ(ReleaseFromName("0.24"), Release::k021);
  EXPECT_EQ(ReleaseFromName("0.25"), Release::k025);
  EXPECT_EQ(ReleaseFromName("0.27"), Release::kLatest);
  EXPECT_EQ(ReleaseFromName("0.16"), std::nullopt);
  EXPECT_EQ(NameOf(Release::k019), "0.19");
}

TEST(RelaxRelease, OnlyNamesThatTheTextUsesAreImported) {
  const std::string sizes = "n = T.int64()";
  EXPECT_THAT(Imports(sizes, Release::k021), HasSubstr("import tir as T"));
  EXPECT_THAT(Imports(sizes, Release::k025), HasSubstr("import tirx as T"));
  EXPECT_THAT(Imports("R.add(PAT.x, y)", Release::kLatest), Not(HasSubstr(" as T")));
}

// As TVM compares, NaN is equal to nothing, but not unequal either.
TEST(RelaxRelease, NumbersThatAreNoneAreNotFoundByInequality) {
  EXPECT_EQ(Said("R.isnan(x)", Release::k021), "R.logical_not(R.equal(x, x))");
  EXPECT_THAT(Said("R.isinf(x)", Release::k021), Not(HasSubstr("not_equal")));
}

TEST(RelaxRelease, WhatHasNoOtherWordsIsRefusedByName) {
  EXPECT_THAT(Said("R.scatter_nd(x, i, u, reduction=\"add\")", Release::k017),
              HasSubstr("TVM 0.17 has no R.scatter_nd"));
  EXPECT_THAT(Said("R.astype(x, dtype=\"float8_e5m2\")", Release::k019), HasSubstr("8-bit floats"));
}

}  // namespace
}  // namespace dragoman::relax

// SPDX-License-Identifier: Apache-2.0
// Calls as older releases of TVM have them.
#include "codegen/relax/release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dragoman::relax {
namespace {

using ::testing::HasSubstr;

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

TEST(RelaxRelease, WhatHasNoOtherWordsIsRefusedByName) {
  EXPECT_THAT(Said("R.scatter_nd(x, i, u, reduction=\"add\")", Release::k017),
              HasSubstr("TVM 0.17 has no R.scatter_nd"));
  EXPECT_THAT(Said("R.astype(x, dtype=\"float8_e5m2\")", Release::k019), HasSubstr("8-bit floats"));
}

}  // namespace
}  // namespace dragoman::relax

// SPDX-License-Identifier: Apache-2.0
// Escapes, names and numbers as text, and back.
#include "core/support/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace dragoman {
namespace {

TEST(Escape, KeepsUtf8AndEscapesTheRest) {
  EXPECT_EQ(Escape("größe"), "größe");
  EXPECT_EQ(Escape("a\"b\\c\n\r\t"), "a\\\"b\\\\c\\n\\r\\t");
  EXPECT_EQ(Escape(std::string("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(Escape("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(Escape("\u202e"), "\\xe2\\x80\\xae") << "text that runs backwards";
  EXPECT_EQ(Escape("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
}

TEST(Escape, RoundTripsAnyBytes) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (unsigned n = random() % 12; n > 0; --n) bytes += static_cast<char>(random());
    const std::string literal = Quote(bytes);
    EXPECT_TRUE(IsUtf8(literal));
    EXPECT_EQ(QuotedLength(literal + "\"tail"), literal.size());
    EXPECT_EQ(*Unquote(literal), bytes);
  }
}

TEST(Unescape, RefusesWhatEscapeNeverWrites) {
  for (const char* text : {"\\", "\\q", "\\x", "\\x4", "\\xg0", "\\x-1", "\\x+1"}) {
    EXPECT_FALSE(Unescape(text).ok()) << text;
  }
  for (const char* text : {"", "\"", "\"a", "a\"", "\"a\"b", "\"\\\""}) {
    EXPECT_FALSE(Unquote(text).ok()) << text;
  }
}

TEST(FileName, HoldsOnlySafeCharacters) {
  EXPECT_EQ(FileName("layer.0/weight:0"), "layer.0_weight_0");
  EXPECT_EQ(FileName("../../etc/passwd"), ".._.._etc_passwd");
  EXPECT_EQ(FileName(".."), "_..");
  EXPECT_EQ(FileName(""), "_");
  EXPECT_EQ(FileName(std::string(4096, 'x')).size(), 200u);
}

TEST(Identifier, IsOneInCppAndPython) {
  EXPECT_EQ(Identifier("layer.0/weight"), "layer_0_weight");
  EXPECT_EQ(Identifier("0"), "_0");
  EXPECT_EQ(Identifier("a__b"), "a_b");
  EXPECT_EQ(Identifier("_Private"), "v_Private");
  EXPECT_EQ(Identifier("lambda"), "lambda_");
  EXPECT_EQ(Identifier("yield"), "yield_");
  EXPECT_EQ(Identifier("namespace"), "namespace_");
  EXPECT_EQ(Identifier("INFINITY"), "INFINITY_");  // macros of C's headers
  EXPECT_EQ(Identifier("M_PI"), "M_PI_");
  EXPECT_EQ(Identifier("EDOM"), "EDOM_");
  EXPECT_EQ(Identifier("unix"), "unix_");
  EXPECT_EQ(Identifier("E"), "E");
  EXPECT_EQ(Identifier("Encoder"), "Encoder");
  EXPECT_EQ(Identifier("x; system(\"id\"); //"), "x_system_id_");
  for (const char* name : {"", "_", "é", "//", "9lives", "None"}) {
    EXPECT_TRUE(IsIdentifier(Identifier(name))) << name;
  }
}

TEST(NameScope, HandsOutEachNameOnce) {
  NameScope scope;
  EXPECT_TRUE(scope.Reserve("run"));
  EXPECT_FALSE(scope.Reserve("run"));
  EXPECT_EQ(scope.Unique("run"), "run_2");
  EXPECT_EQ(scope.Unique("x_2"), "x_2");
  EXPECT_EQ(scope.Unique("x"), "x");
  EXPECT_EQ(scope.Unique("x"), "x_3");
}

TEST(FormatFloat, IsShortAndTellsFloatsFromIntegers) {
  EXPECT_EQ(FormatFloat(0.1f), "0.1");
  EXPECT_EQ(FormatFloat(1.0f), "1.0");
  EXPECT_EQ(FormatFloat(-0.0f), "-0.0");
  EXPECT_EQ(FormatFloat(1e30f), "1e+30");
  EXPECT_EQ(FormatDouble(0.1), "0.1");
  EXPECT_EQ(FormatFloat(-INFINITY), "-inf");
  EXPECT_EQ(FormatFloat(std::bit_cast<float>(0x7fc00000u)), "nan");
  EXPECT_EQ(FormatFloat(std::bit_cast<float>(0xffc00001u)), "nan:0xffc00001");
}

TEST(FormatFloat, RoundTripsEveryKindOfBits) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    const std::uint32_t low = static_cast<std::uint32_t>(bits);
    const auto single = ParseFloat(FormatFloat(std::bit_cast<float>(low)));
    const auto real = ParseDouble(FormatDouble(std::bit_cast<double>(bits)));
    ASSERT_TRUE(single && real);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(*single), low);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*real), bits);
  }
}

TEST(ParseNumbers, TakeTheWholeTextOrNothing) {
  EXPECT_EQ(ParseInt64("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(ParseUint64("18446744073709551615"), UINT64_MAX);
  for (const char* text : {"", " 1", "1 ", "+1", "0x1", "9223372036854775808", "1.0"}) {
    EXPECT_EQ(ParseInt64(text), std::nullopt) << text;
  }
  EXPECT_EQ(ParseFloat("3"), 3.0f);
  EXPECT_EQ(ParseFloat("1e99"), INFINITY);
  EXPECT_EQ(ParseFloat("-1e-99"), 0.0f);
  for (const char* text : {"", "infinity", "nan:0x1", "nan:7fc00000", "0x1p3", "1,5", "1e"}) {
    EXPECT_EQ(ParseFloat(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace dragoman

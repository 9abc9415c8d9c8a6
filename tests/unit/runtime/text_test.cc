// SPDX-License-Identifier: Apache-2.0
// Kernels of operators on strings.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/kernels/base64.h"
#include "runtime/kernels/example_feature.h"
#include "runtime/kernels/find_sorted.h"
#include "runtime/kernels/number_text.h"
#include "runtime/kernels/regex.h"
#include "runtime/kernels/split_text.h"
#include "runtime/kernels/text.h"
#include "runtime/kernels/text_hash.h"
#include "runtime/kernels/unicode_category.h"

namespace dragoman::rt {
namespace {

// All matches of `pattern` replaced; or the error.
std::string Replaced(std::string_view pattern, std::string_view text, std::string_view rewrite) {
  Regex regex;
  if (Status status = regex.Compile(pattern); !status.ok()) return status.message();
  std::string result;
  const Status status = regex.Replace(text, rewrite, true, &result);
  return status.ok() ? result : status.message();
}

bool Matches(std::string_view pattern, std::string_view text) {
  Regex regex;
  EXPECT_TRUE(regex.Compile(pattern).ok());
  return regex.MatchesAll(text);
}

// Expected values: Python's re, which prefers the same of several matches.
TEST(RegexTest, PrefersWhatStandsFirst) {
  EXPECT_EQ(Replaced("a|ab", "ab", "<\\0>"), "<a>b");
  EXPECT_EQ(Replaced("a+?", "aa", "<\\0>"), "<a><a>");
  EXPECT_EQ(Replaced("(a*)(b{1,2})", "aabbb", "[\\2,\\1]"), "[bb,aa][b,]");
  EXPECT_EQ(Replaced("x*", "axb", "-"), "-a-b-");
  EXPECT_EQ(Replaced("^a|a$", "aaa", "-"), "-a-");
  EXPECT_EQ(Replaced("\\bto\\b", "to tom to", "_"), "_ tom _");
}

TEST(RegexTest, KnowsClassesFlagsAndCharacters) {
  EXPECT_EQ(Replaced("[!\"#$%&()\\*\\+,-\\./:;<=>?@\\[\\\\\\]^_`{|}~\\']", "a.b-c'd_e\\", ""),
            "abcde");
  EXPECT_EQ(Replaced("[^\\s[:alpha:]]", "a1 \xc3\xa9!", "."), "a. ..");
  EXPECT_EQ(Replaced(".", "\xc3\xa9\xff", "x"), "x\xff");  // what is not UTF-8 matches nothing
  EXPECT_TRUE(Matches("(?i)sto(?-i)P", "STOP"));
  EXPECT_FALSE(Matches("(?i)sto(?-i)P", "stop"));
  EXPECT_TRUE(Matches("(?s).\\x{e9}\\Q.*\\E", "\n\xc3\xa9.*"));
  EXPECT_TRUE(Matches("(?P<year>\\d{4})(?:-\\d\\d)?", "2024-05"));
}

TEST(RegexTest, FoldsLettersOfAllAlphabets) {
  EXPECT_TRUE(Matches("(?i)caf\xc3\x89", "CAF\xc3\xa9"));
  EXPECT_TRUE(Matches("(?i)\xcf\x83", "\xcf\x82"));                      // the small sigmas
  EXPECT_TRUE(Matches("(?i)[\xce\xb1-\xcf\x89]+", "\xce\xa3\xcf\x82"));  // from alpha to omega
  EXPECT_TRUE(Matches("(?i)k\\p{Lu}[[:upper:]]",
                      "\xe2\x84\xaa"
                      "aa"));  // the sign of kelvin
  EXPECT_FALSE(Matches("(?i)[^k]", "\xe2\x84\xaa"));
  EXPECT_FALSE(Matches("(?i)\\W", "\xe2\x84\xaa"));
  EXPECT_FALSE(Matches("(?i)i", "\xc4\xb0"));  // dotted capital
}

TEST(RegexTest, KnowsTheCategoriesOfUnicode) {
  EXPECT_EQ(Replaced("\\pL+",
                     "Stra\xc3\x9f"
                     "e 12",
                     "<\\0>"),
            "<Stra\xc3\x9f"
            "e> 12");
  EXPECT_EQ(Replaced("\\p{Lu}", "aB\xc3\x84\xc3\xa4", "_"), "a__\xc3\xa4");
  EXPECT_EQ(Replaced("\\P{N}", "a1\xd9\xa3", "_"), "_1\xd9\xa3");
  EXPECT_EQ(Replaced("[^\\p{P}\\s]", "a, \xe2\x80\x94!", "_"), "_, \xe2\x80\x94!");
  EXPECT_EQ(Replaced("[\\p{^L}]", "a1b", "_"), "a_b");
  EXPECT_TRUE(Matches("\\p{Any}\\PL", "\xe2\x82\xac\xe2\x82\xac"));
}

// As many as Unicode 14 lists.
TEST(RegexTest, CountsTheCharactersOfCategories) {
  const auto count = [](std::string_view name) {
    std::int32_t characters = 0;
    for (const auto& range : internal::UnicodeSet(name))
      characters += range.second - range.first + 1;
    return characters;
  };
  EXPECT_EQ(count("Lu"), 1831);
  EXPECT_EQ(count("Nd"), 660);
  EXPECT_EQ(count("Zs"), 17);
  EXPECT_EQ(count("L"), count("Lu") + count("Ll") + count("Lt") + count("Lm") + count("Lo"));
  EXPECT_EQ(count("Latin"), 1475);
  EXPECT_EQ(count("Han"), 94215);
  EXPECT_EQ(count("latin"), 0);
}

TEST(RegexTest, RefusesWhatIsNoPattern) {
  EXPECT_EQ(Replaced("(a", "a", ""), "a group that is not closed");
  EXPECT_EQ(Replaced("a**", "a", ""), "a repetition of a repetition in a pattern");
  EXPECT_EQ(Replaced("\\C", "a", ""), "an escape that is not supported in a pattern");
  EXPECT_EQ(Replaced("\\p{Greeks}", "a", ""), "an unknown class of Unicode in a pattern");
  EXPECT_EQ(Replaced("\\p{Lu", "a", ""), "a class of Unicode that is not closed in a pattern");
  EXPECT_EQ(Replaced("((a{1000}){1000}){1000}", "a", ""), "a pattern that is too large");
  EXPECT_EQ(Replaced(std::string(300, '('), "a", ""), "a pattern whose groups nest too deep");
  EXPECT_EQ(Replaced("a", "a", "\\x"),
            "a rewrite has a backslash before neither a digit nor a backslash");
}

// Linear, where a search that goes back takes 2^40 steps.
TEST(RegexTest, TakesLinearTime) {
  EXPECT_FALSE(Matches("(a*)*b", std::string(2000, 'a')));
  EXPECT_FALSE(Matches("(a|a)*c", std::string(2000, 'a')));
}

// The vector of SipHash's authors, and what FarmHash's source gives.
TEST(TextHashTest, GivesTheValuesOfTheFunctionsAuthors) {
  std::string bytes;
  for (int i = 0; i < 200; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(SipHash24(bytes.substr(0, 15), 0x0706050403020100, 0x0f0e0d0c0b0a0908),
            0xa129ca6149be45e5);
  for (char& c : bytes) c = static_cast<char>(c * 7 + 1);
  const auto farm = [&](std::size_t size) { return FarmFingerprint64(bytes.substr(0, size)); };
  EXPECT_EQ(farm(0), 11160318154034397263U);
  EXPECT_EQ(farm(3), 2789093992221611352U);
  EXPECT_EQ(farm(5), 5583097504302281796U);
  EXPECT_EQ(farm(12), 5458128934246195691U);
  EXPECT_EQ(farm(20), 3709845837646403315U);
  EXPECT_EQ(farm(40), 16671829856172791568U);
  EXPECT_EQ(farm(65), 245071660283424945U);
  EXPECT_EQ(farm(128), 14853706291347008447U);
  EXPECT_EQ(farm(200), 8231798733321432151U);
}

// Numbers and texts as Python's ord and chr have them.
TEST(CodePointTest, IsOneCharacterOfUtf8) {
  const std::vector<std::string> texts = {"a", "\u00dc", "\u20ac", "\U0001f600", "", "ab", "\xc3"};
  const std::vector<std::int32_t> numbers = {97,           220,          8364,        128512,
                                             kNoCharacter, kNoCharacter, kNoCharacter};
  std::vector<std::int32_t> found(texts.size());
  CodePoint<std::string>({texts.data(), {7}}, {found.data(), {7}});
  EXPECT_EQ(found, numbers);
  std::vector<std::string> back(texts.size());
  CodePointText<std::int32_t>({numbers.data(), {7}}, {back.data(), {7}});
  EXPECT_EQ(back, std::vector<std::string>(
                      {"a", "\u00dc", "\u20ac", "\U0001f600", "\ufffd", "\ufffd", "\ufffd"}));
}

TEST(TextBytesTest, AreCutAndFilled) {
  const std::vector<std::string> texts = {"abc", "", std::string("\xff\0z", 3)};
  const std::int64_t size = 2;
  std::vector<std::uint8_t> bytes(6, 7);
  TextBytes<std::string>({texts.data(), {3}}, {&size, Shape()}, {bytes.data(), {3, 2}});
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{'a', 'b', 0, 0, 0xff, 0}));
}

std::string Joined(const std::vector<std::string>& texts, const std::vector<std::int64_t>& ends) {
  const std::string separator = "-";
  const auto count = static_cast<std::int64_t>(texts.size());
  const auto rows = static_cast<std::int64_t>(ends.size()) - 1;
  std::vector<std::string> joined(static_cast<std::size_t>(rows));
  const Status status = JoinText<std::string>({texts.data(), {count}}, {ends.data(), {rows + 1}},
                                              {&separator, Shape()}, {joined.data(), {rows}});
  if (!status.ok()) return status.message();
  std::string all;
  for (const std::string& text : joined) all += "[" + text + "]";
  return all;
}

TEST(JoinTextTest, JoinsRowsAndRefusesEndsThatAreNone) {
  EXPECT_EQ(Joined({"a", "b", "c"}, {0, 2, 2, 3}), "[a-b][][c]");
  EXPECT_EQ(Joined({"a"}, {0, 2}), "the ends of joined texts do not cover them all");
  EXPECT_EQ(Joined({"a"}, {0, 2, 1}), "the ends of joined texts do not ascend");
  EXPECT_EQ(Joined({"a"}, {0, -1, 1}), "the ends of joined texts do not ascend");
}

std::vector<std::string> Pieces(const SplitTextParams& p, const std::string& text,
                                const std::string& separator) {
  const Shape one = {1};
  const TensorView<const std::string> x{&text, one};
  const TensorView<const std::string> by{&separator, Shape()};
  std::vector<std::string> pieces(static_cast<std::size_t>(SplitTextMost<std::string>(p, x, by)));
  std::int64_t count = 0;
  SplitText<std::string>(p, x, by, {pieces.data(), {1, static_cast<std::int64_t>(pieces.size())}},
                         {&count, one});
  EXPECT_EQ(count, static_cast<std::int64_t>(pieces.size()));
  return pieces;
}

// Python's str.split gives the same where it has the parameter.
TEST(SplitTextTest, SplitsAsPythonDoes) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(Pieces({}, "  a \t b\n", ""), Texts({"a", "b"}));
  EXPECT_EQ(Pieces({}, "", ""), Texts());
  EXPECT_EQ(Pieces({}, "", ","), Texts({""}));
  EXPECT_EQ(Pieces({}, "a,,b,", ","), Texts({"a", "", "b", ""}));
  EXPECT_EQ(Pieces({false, true, -1}, "a,,b,", ","), Texts({"a", "b"}));
  EXPECT_EQ(Pieces({false, false, 1}, "a, b, c", ", "), Texts({"a", "b, c"}));
  EXPECT_EQ(Pieces({true, false, -1}, "a-b+c", "+-"), Texts({"a", "b", "c"}));
  EXPECT_EQ(Pieces({true, true, -1}, "abc", ""), Texts({"a", "b", "c"}));
}

std::string Decoded(const std::string& letters) {
  std::string bytes;
  const Status status = Base64Decode<std::string>({&letters, Shape()}, {&bytes, Shape()});
  return status.ok() ? bytes : status.message();
}

// Accepted and refused as TensorFlow's DecodeBase64 does.
TEST(Base64Test, DecodesWithPaddingOrWithoutAndRefusesTheRest) {
  EXPECT_EQ(Decoded("aGVsbG8"), "hello");
  EXPECT_EQ(Decoded("aGVsbG8="), "hello");
  EXPECT_EQ(Decoded("aGVsbG9="), "hello");
  EXPECT_EQ(Decoded("_-8"), "\xff\xef");
  EXPECT_EQ(Decoded(""), "");
  for (const char* letters : {"aGVsbG8==", "aGV sbG8", "a", "+/8", "===", "aA==aA==", "a==="})
    EXPECT_EQ(Decoded(letters), "a text is not in Base64 for file names") << letters;
}

std::string NumberAsText(const NumberTextParams& p, double number) {
  std::string text;
  NumberText<double>(p, {&number, Shape()}, {&text, Shape()});
  return text;
}

// As C's printf.
TEST(NumberTextTest, WritesTheLongestNumbers) {
  NumberTextParams p;
  p.precision = kMostNumberPrecision;
  const std::string least = NumberAsText(p, -5e-324);
  EXPECT_EQ(least.size(), 3 + 1074U);
  EXPECT_EQ(least.substr(0, 5) + least.substr(least.size() - 5), "-0.0065625");
  EXPECT_EQ(NumberAsText(p, -1.7e308).size(), 1 + 309 + 1 + 1074U);
  p = {NumberForm::kFixed, NumberFlag::kZero, 1, 8};
  EXPECT_EQ(NumberAsText(p, -2.25), "-00002.2");
  EXPECT_EQ(NumberAsText(p, -INFINITY), "    -inf");
}

// The values of feature "a" of a record, or the error.
std::string FeatureA(const std::string& record) {
  const std::string key = "a";
  const std::int64_t filler = -7;
  const Shape one = {1};
  std::int64_t most = 0;
  const TensorView<const std::string> records{&record, one};
  Status status = ExampleFeatureMost<std::int64_t>(records, {&key, Shape()}, &most);
  if (!status.ok()) return status.message();
  std::vector<std::int64_t> values(static_cast<std::size_t>(most));
  std::int64_t count = 0;
  status = ExampleFeature<std::int64_t>(records, {&key, Shape()}, {&filler, Shape()},
                                        {values.data(), {1, most}}, {&count, one});
  if (!status.ok()) return status.message();
  std::string text = std::to_string(count) + ":";
  for (const std::int64_t value : values) text += " " + std::to_string(value);
  return text;
}

// Field 1 of a message.
std::string Part(const std::string& content, int number = 1) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} +
         content;
}

std::string RecordOf(const std::string& feature) {
  return Part(Part(Part("a") + Part(feature, 2)));
}

TEST(ExampleFeatureTest, ReadsListsPackedOrNotAndTheLastOfEqualNames) {
  EXPECT_EQ(FeatureA(RecordOf(Part(Part("\x05\x06"), 3))), "2: 5 6");
  EXPECT_EQ(FeatureA(RecordOf(Part("\x08\x05\x08\x06", 3))), "2: 5 6");
  EXPECT_EQ(FeatureA(RecordOf(Part(Part("\x05"), 3)) + RecordOf(Part(Part("\x09"), 3))), "1: 9");
  EXPECT_EQ(FeatureA(RecordOf(Part("", 3))), "0:");
  EXPECT_EQ(FeatureA(RecordOf("")), "-1:");
  EXPECT_EQ(FeatureA(""), "-1:");
}

TEST(ExampleFeatureTest, RefusesDamagedRecordsAndOtherElements) {
  const std::string damaged = "a text is not a tensorflow.Example";
  const std::string record = RecordOf(Part(Part("\x05\x06"), 3));
  for (std::size_t size = 1; size < record.size(); ++size)
    EXPECT_EQ(FeatureA(record.substr(0, size)), damaged) << size;
  EXPECT_EQ(FeatureA(RecordOf(Part(Part("\xff\xff"), 3))), damaged);
  EXPECT_EQ(FeatureA(RecordOf(Part(Part("text")))), "a feature has elements of another type");
}

TEST(FindSortedTest, GivesPlacesOrMinusOne) {
  const std::vector<std::string> keys = {"", "b", "bc"};
  const std::vector<std::string> x = {"bc", "a", "", "b\xff"};
  std::vector<std::int64_t> places(4);
  FindSorted<std::string>({x.data(), {4}}, {keys.data(), {3}}, {places.data(), {4}});
  EXPECT_EQ(places, (std::vector<std::int64_t>{2, -1, 0, -1}));
}

}  // namespace
}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/rule_number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/support/text.h"

namespace dragoman {
namespace {

using Kind = RuleNumber::Kind;

constexpr int kMostNested = 32;  // numbers in parentheses

constexpr std::array<std::pair<std::string_view, double>, 4> kWords = {
    {{"inf", std::numeric_limits<double>::infinity()},
     {"pi", std::numbers::pi},
     {"true", 1},
     {"false", 0}}};
constexpr std::array<std::string_view, 4> kFunctions = {"sqrt", "rank", "size", "every"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t DigitsAt(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && IsDigit(text[at + n])) ++n;
  return n;
}

// The length of the decimal number at the front of `text`.
std::size_t LiteralLength(std::string_view text) {
  std::size_t n = DigitsAt(text, 0);
  if (n < text.size() && text[n] == '.') n += 1 + DigitsAt(text, n + 1);
  if (n == 0 || n >= text.size() || (text[n] != 'e' && text[n] != 'E')) return n;
  const std::size_t sign = n + 1 < text.size() && (text[n + 1] == '-' || text[n + 1] == '+');
  const std::size_t digits = DigitsAt(text, n + 1 + sign);
  return digits > 0 ? n + 1 + sign + digits : n;
}

RuleNumber Folded(RuleNumber number) {
  const bool literals = std::ranges::all_of(number.parts, &RuleNumber::is_literal);
  if (number.parts.empty() || !literals) return number;
  const auto value = Evaluate(number, [](const RuleNumber&) { return std::nullopt; });
  if (!value) return number;
  return {.literal = *value, .offset = number.offset};
}

class NumberReader {
 public:
  NumberReader(TextScanner& scan, std::string_view text, const FindCapture& find)
      : scan_(scan), text_(text), find_(find) {}

  Result<RuleNumber> ReadSum() {
    return ReadChain({{{"+", Kind::kSum}, {"-", Kind::kDifference}}}, &NumberReader::ReadProduct);
  }

 private:
  using ReadPart = Result<RuleNumber> (NumberReader::*)();
  using Signs = std::array<std::pair<std::string_view, Kind>, 2>;

  Result<RuleNumber> ReadProduct() {
    return ReadChain({{{"*", Kind::kProduct}, {"/", Kind::kQuotient}}}, &NumberReader::ReadUnary);
  }

  // Parts with signs between them, from left to right.
  Result<RuleNumber> ReadChain(const Signs& signs, ReadPart read) {
    DRAGOMAN_ASSIGN(RuleNumber left, (this->*read)());
    while (true) {
      const auto sign =
          std::ranges::find_if(signs, [&](const auto& pair) { return scan_.Accept(pair.first); });
      if (sign == signs.end()) return left;
      const std::size_t offset = left.offset;
      DRAGOMAN_ASSIGN(RuleNumber right, (this->*read)());
      left = Folded(
          {.kind = sign->second, .parts = {std::move(left), std::move(right)}, .offset = offset});
    }
  }

  Result<RuleNumber> ReadUnary() {
    scan_.Peek();
    const std::size_t offset = scan_.offset();
    if (!scan_.Accept("-")) return ReadPrimary();
    if (++nested_ > kMostNested) return scan_.Fail("numbers nest too deep");
    DRAGOMAN_ASSIGN(RuleNumber part, ReadUnary());
    --nested_;
    return Folded({.kind = Kind::kNegative, .parts = {std::move(part)}, .offset = offset});
  }

  Result<RuleNumber> ReadPrimary() {
    const char first = scan_.Peek();
    const std::size_t offset = scan_.offset();
    if (first == '$') return ReadLeaf(Kind::kCapture, offset);
    if (first == '(') return ReadInParentheses();
    for (const auto& [word, value] : kWords) {
      if (scan_.AcceptWord(word)) return RuleNumber{.literal = value, .offset = offset};
    }
    if (scan_.AcceptWord("sqrt")) {
      DRAGOMAN_ASSIGN(RuleNumber part, ReadInParentheses());
      return Folded({.kind = Kind::kRoot, .parts = {std::move(part)}, .offset = offset});
    }
    if (scan_.AcceptWord("rank")) return ReadSizes(Kind::kRank, offset);
    if (scan_.AcceptWord("size")) return ReadSizes(Kind::kSize, offset);
    if (scan_.AcceptWord("every")) return ReadSizes(Kind::kEvery, offset);
    const std::size_t length = LiteralLength(text_.substr(offset));
    if (length == 0) return scan_.Unexpected("a number");
    scan_.GoTo(offset + length);
    const auto value = ParseDouble(text_.substr(offset, length));
    if (!value) return scan_.FailAt(offset, "expected a number");
    return RuleNumber{.literal = *value, .offset = offset};
  }

  Result<RuleNumber> ReadInParentheses() {
    if (++nested_ > kMostNested) return scan_.Fail("numbers nest too deep");
    DRAGOMAN_TRY(scan_.Expect("("));
    DRAGOMAN_ASSIGN(RuleNumber number, ReadSum());
    DRAGOMAN_TRY(scan_.Expect(")"));
    --nested_;
    return number;
  }

  Result<RuleNumber> ReadLeaf(Kind kind, std::size_t offset) {
    scan_.Peek();
    const std::size_t begin = scan_.offset();
    DRAGOMAN_TRY(scan_.Expect("$"));
    const std::string name(scan_.PeekWord());
    if (name.empty()) return scan_.Unexpected("a name");
    scan_.AcceptWord(name);
    RuleNumber leaf{.kind = kind, .offset = offset};
    DRAGOMAN_ASSIGN(leaf.capture, find_(name, begin));
    return leaf;
  }

  // After the word: ($x) or ($x, 1).
  Result<RuleNumber> ReadSizes(Kind kind, std::size_t offset) {
    DRAGOMAN_TRY(scan_.Expect("("));
    DRAGOMAN_ASSIGN(RuleNumber leaf, ReadLeaf(kind, offset));
    if (kind == Kind::kSize) {
      DRAGOMAN_TRY(scan_.Expect(","));
      DRAGOMAN_ASSIGN(const std::int64_t axis, scan_.Int());
      leaf.literal = static_cast<double>(axis);
    }
    DRAGOMAN_TRY(scan_.Expect(")"));
    return leaf;
  }

  TextScanner& scan_;
  std::string_view text_;
  const FindCapture& find_;
  int nested_ = 0;
};

}  // namespace

bool AtRuleNumber(TextScanner& scan) {
  const char first = scan.Peek();
  if (IsDigit(first) || first == '-' || first == '(') return true;
  const std::string_view word = scan.PeekWord();
  return std::ranges::find(kFunctions, word) != kFunctions.end() ||
         std::ranges::any_of(kWords, [&](const auto& known) { return known.first == word; });
}

Result<RuleNumber> ReadRuleNumber(TextScanner& scan, std::string_view text,
                                  const FindCapture& find) {
  return NumberReader(scan, text, find).ReadSum();
}

std::optional<double> Evaluate(const RuleNumber& number, const NumberOfCapture& value) {
  if (number.is_literal()) return number.literal;
  if (number.parts.empty()) return value(number);
  std::array<double, 2> parts = {};
  for (std::size_t i = 0; i < number.parts.size(); ++i) {
    const std::optional<double> part = Evaluate(number.parts[i], value);
    if (!part) return std::nullopt;
    parts[i] = *part;
  }
  switch (number.kind) {
    case Kind::kNegative:
      return -parts[0];
    case Kind::kRoot:
      return parts[0] < 0 ? std::nullopt : std::optional(std::sqrt(parts[0]));
    case Kind::kSum:
      return parts[0] + parts[1];
    case Kind::kDifference:
      return parts[0] - parts[1];
    case Kind::kProduct:
      return parts[0] * parts[1];
    default:
      return parts[1] == 0 ? std::nullopt : std::optional(parts[0] / parts[1]);
  }
}

std::string FormatNumber(double number) { return fmt::format("{}", number); }

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// The text form of Dims.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/ir/dim.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

using Kind = DimAtom::Kind;

constexpr int kMaxDepth = 64;

std::string_view FunctionName(Kind kind) {
  return kind == Kind::kMin ? "min" : kind == Kind::kMax ? "max" : "broadcast";
}

std::optional<Kind> FunctionKind(std::string_view name) {
  for (const Kind kind : {Kind::kMin, Kind::kMax, Kind::kBroadcast}) {
    if (name == FunctionName(kind)) return kind;
  }
  return std::nullopt;
}

std::string PrintSymbol(const std::string& name) {
  return IsIdentifier(name) && !FunctionKind(name) ? name : Quote(name);
}

// In parentheses unless it is a number that is not negative, or one symbol.
std::string PrintOperand(const Dim& d) {
  if (d.symbol() || (d.known() && d.value() >= 0)) return d.ToString();
  return '(' + d.ToString() + ')';
}

std::string PrintAtom(const DimAtom& atom) {
  switch (atom.kind) {
    case Kind::kSymbol:
      return PrintSymbol(atom.name);
    case Kind::kFloorDiv:
      return PrintOperand(atom.operands[0]) + " // " + PrintOperand(atom.operands[1]);
    case Kind::kMod:
      return PrintOperand(atom.operands[0]) + " % " + PrintOperand(atom.operands[1]);
    default:
      break;
  }
  std::string text(FunctionName(atom.kind));
  for (std::size_t i = 0; i < atom.operands.size(); ++i) {
    text += (i == 0 ? "(" : ", ") + atom.operands[i].ToString();
  }
  return text + ')';
}

// Without its sign.
std::string PrintTerm(const DimTerm& term) {
  std::string magnitude = std::to_string(term.coefficient);
  if (term.coefficient < 0) magnitude.erase(0, 1);
  if (term.factors.empty()) return magnitude;
  const bool product = term.coefficient != 1 || term.factors.size() > 1;
  std::string text = magnitude == "1" ? "" : magnitude;
  for (const auto& atom : term.factors) {
    const bool infix = atom->kind == Kind::kFloorDiv || atom->kind == Kind::kMod;
    const std::string factor = PrintAtom(*atom);
    if (!text.empty()) text += '*';
    text += infix && product ? '(' + factor + ')' : factor;
  }
  return text;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Dim> Parse() {
    DRAGOMAN_ASSIGN(Dim dim, ParseSum(0));
    SkipSpace();
    if (at_ != text_.size()) return Fail("expected an operator or the end");
    if (dim.unknown() && !has_unknown_) {
      return Fail("this size overflows, divides by 0 or is too large an expression");
    }
    return dim;
  }

 private:
  Error Fail(std::string_view what) const {
    return InvalidInput(fmt::format("{} at byte {} of size '{}'", what, at_, Escape(text_)));
  }

  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool Take(std::string_view token) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  Result<Dim> ParseSum(int depth) {
    if (depth > kMaxDepth) return Fail("nested more than 64 levels deep");
    DRAGOMAN_ASSIGN(Dim sum, ParseProduct(depth));
    while (true) {
      if (Take("+")) {
        DRAGOMAN_ASSIGN(const Dim next, ParseProduct(depth));
        sum = sum + next;
      } else if (Take("-")) {
        DRAGOMAN_ASSIGN(const Dim next, ParseProduct(depth));
        sum = sum - next;
      } else {
        return sum;
      }
    }
  }

  Result<Dim> ParseProduct(int depth) {
    DRAGOMAN_ASSIGN(Dim product, ParseSigned(depth));
    while (true) {
      if (Take("*")) {
        DRAGOMAN_ASSIGN(const Dim next, ParseSigned(depth));
        product = product * next;
      } else if (Take("//")) {
        DRAGOMAN_ASSIGN(const Dim next, ParseSigned(depth));
        product = FloorDiv(product, next);
      } else if (Take("%")) {
        DRAGOMAN_ASSIGN(const Dim next, ParseSigned(depth));
        product = Mod(product, next);
      } else {
        return product;
      }
    }
  }

  Result<Dim> ParseSigned(int depth) {
    if (!Take("-")) return ParsePrimary(depth);
    SkipSpace();
    if (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') return ParseNumber("-");
    if (at_ < text_.size() && text_[at_] == '-') return Fail("expected a size");
    DRAGOMAN_ASSIGN(const Dim dim, ParsePrimary(depth));
    return Dim(0) - dim;
  }

  Result<Dim> ParsePrimary(int depth) {
    SkipSpace();
    if (Take("(")) {
      DRAGOMAN_ASSIGN(Dim inner, ParseSum(depth + 1));
      if (!Take(")")) return Fail("expected ')'");
      return inner;
    }
    if (Take("?")) {
      has_unknown_ = true;
      return Dim::Unknown();
    }
    const std::string_view rest = text_.substr(at_);
    if (const std::size_t length = QuotedLength(rest); length > 0) {
      DRAGOMAN_ASSIGN(std::string name, Unquote(rest.substr(0, length)));
      at_ += length;
      return Dim::Symbol(std::move(name));
    }
    if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') return ParseNumber("");
    return ParseName(depth);
  }

  Result<Dim> ParseNumber(std::string_view sign) {
    const std::size_t length = Span("0123456789");
    const auto value = ParseInt64(std::string(sign) + std::string(text_.substr(at_, length)));
    if (!value) return Fail("this number does not fit in 64 bits");
    at_ += length;
    return Dim(*value);
  }

  Result<Dim> ParseName(int depth) {
    const std::size_t length =
        Span("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (length == 0) return Fail("expected a size");
    const std::string name(text_.substr(at_, length));
    at_ += length;
    const std::optional<Kind> function = FunctionKind(name);
    if (!function) return Dim::Symbol(name);
    if (!Take("(")) return Fail("expected '('");
    DRAGOMAN_ASSIGN(Dim result, ParseSum(depth + 1));
    while (Take(",")) {
      DRAGOMAN_ASSIGN(Dim next, ParseSum(depth + 1));
      const Dim operands[] = {std::move(result), std::move(next)};
      result = Apply(*function, operands);
    }
    if (!Take(")")) return Fail("expected ')'");
    return result;
  }

  std::size_t Span(std::string_view characters) const {
    const std::size_t end = text_.find_first_not_of(characters, at_);
    return (end == std::string_view::npos ? text_.size() : end) - at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool has_unknown_ = false;
};

}  // namespace

std::string Dim::ToString() const {
  if (known()) return std::to_string(value_);
  if (unknown()) return "?";
  std::string text;
  for (const DimTerm& term : terms()) {
    const bool negative = term.coefficient < 0;
    if (text.empty()) {
      text = negative ? "-" : "";
    } else {
      text += negative ? " - " : " + ";
    }
    text += PrintTerm(term);
  }
  return text;
}

Result<Dim> ParseDim(std::string_view text) { return Parser(text).Parse(); }

}  // namespace dragoman

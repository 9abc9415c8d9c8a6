// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/size_expression.h"

#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "core/support/text.h"

namespace dragoman::torch {
namespace {

// expression := term (("+" | "-") term)*
// term       := factor (("*" | "/" | "//" | "%") factor)*
// factor     := "-" factor | "+" factor | primary ("**" factor)?
// primary    := number | name | name "(" arguments ")" | "(" expression ")" | string
// arguments  := (argument ("," argument)*)?     argument := (name "=")? expression
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Dim> Run() {
    Dim dim = Expression();
    SkipSpace();
    if (ok_ && at_ == text_.size()) return dim;
    constexpr std::size_t kMostQuoted = 80;
    return InvalidInput("found " + Quote(text_.substr(0, kMostQuoted)) +
                        (text_.size() > kMostQuoted ? " and more" : "") +
                        ", expected the expression of a size");
  }

 private:
  // An argument of a constructor: an expression, or a string.
  struct Argument {
    Dim dim;
    std::string text;
  };

  void SkipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Accept(std::string_view token) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  char Peek() {
    SkipSpace();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  Dim Fail() {
    ok_ = false;
    at_ = text_.size();
    return Dim::Unknown();
  }

  static bool IsNameChar(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  }

  Dim Expression() {
    if (++depth_ > kMaxExpressionDepth) return Fail();
    Dim sum = Term();
    while (ok_) {
      if (Accept("+")) {
        sum = sum + Term();
      } else if (Accept("-")) {
        sum = sum - Term();
      } else {
        break;
      }
    }
    --depth_;
    return sum;
  }

  Dim Term() {
    Dim product = Factor();
    while (ok_) {
      if (Accept("//")) {
        product = FloorDiv(product, Factor());
      } else if (Accept("*")) {
        product = product * Factor();
      } else if (Accept("%")) {
        product = Mod(product, Factor());
      } else if (Accept("/")) {
        Factor();
        product = Dim::Unknown();
      } else {
        break;
      }
    }
    return product;
  }

  Dim Factor() {
    if (++depth_ > kMaxExpressionDepth) return Fail();
    Dim dim;
    if (Accept("-")) {
      dim = Dim(0) - Factor();
    } else if (Accept("+")) {
      dim = Factor();
    } else {
      dim = Primary();
      if (ok_ && Accept("**")) dim = Power(dim, Factor());
    }
    --depth_;
    return dim;
  }

  Dim Primary() {
    if (Accept("(")) {
      Dim dim = Expression();
      return Accept(")") ? dim : Fail();
    }
    const char c = Peek();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return NumberDim();
    if (!IsNameChar(c) || c == '.') return Fail();
    const std::string name = Name();
    if (!Accept("(")) return name == "True" || name == "False" ? Dim::Unknown() : Dim::Symbol(name);
    std::vector<Argument> arguments = Arguments();
    return ok_ ? Apply(name, arguments) : Dim::Unknown();
  }

  Dim NumberDim() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsNameChar(text_[at_])) ++at_;
    const std::string_view digits = text_.substr(begin, at_ - begin);
    if (const std::optional<std::int64_t> value = ParseInt64(digits)) return Dim(*value);
    return ParseDouble(digits) ? Dim::Unknown() : Fail();
  }

  std::string Name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsNameChar(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::vector<Argument> Arguments() {
    std::vector<Argument> arguments;
    if (Accept(")")) return arguments;
    while (ok_) {
      const char c = Peek();
      if (c == '\'' || c == '"') {
        arguments.push_back({Dim::Unknown(), QuotedText(c)});
      } else if (!AcceptKeyword()) {
        arguments.push_back({Expression(), ""});
      }
      if (Accept(")")) return arguments;
      if (!Accept(",")) Fail();
    }
    return arguments;
  }

  // "positive=True": assumptions, which say nothing that is needed.
  bool AcceptKeyword() {
    const std::size_t begin = at_;
    if (IsNameChar(Peek())) {
      Name();
      if (Peek() == '=') {
        ++at_;
        Expression();
        return true;
      }
    }
    at_ = begin;
    return false;
  }

  std::string QuotedText(char quote) {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\\') ++at_;
    if (at_ == text_.size() || text_[at_] != quote) {
      Fail();
      return "";
    }
    return std::string(text_.substr(begin, at_++ - begin));
  }

  static Dim Power(const Dim& base, const Dim& exponent) {
    constexpr std::int64_t kMaxExponent = 8;
    if (!exponent.known() || exponent.value() < 0 || exponent.value() > kMaxExponent)
      return Dim::Unknown();
    Dim power = Dim(1);
    for (std::int64_t i = 0; i < exponent.value(); ++i) power = power * base;
    return power;
  }

  template <class Step>
  static Dim Fold(const std::vector<Argument>& arguments, Step step) {
    if (arguments.empty()) return Dim::Unknown();
    Dim folded = arguments.front().dim;
    for (std::size_t i = 1; i < arguments.size(); ++i) folded = step(folded, arguments[i].dim);
    return folded;
  }

  Dim Apply(const std::string& name, const std::vector<Argument>& arguments) {
    if (name == "Symbol")
      return arguments.empty() || arguments[0].text.empty() ? Fail()
                                                            : Dim::Symbol(arguments[0].text);
    for (const Argument& argument : arguments) {
      if (!argument.text.empty()) return Dim::Unknown();
    }
    if (name == "Integer") return arguments.size() == 1 ? arguments[0].dim : Fail();
    if (name == "Add") return Fold(arguments, [](const Dim& a, const Dim& b) { return a + b; });
    if (name == "Mul") return Fold(arguments, [](const Dim& a, const Dim& b) { return a * b; });
    if (name == "Max") return Fold(arguments, [](const Dim& a, const Dim& b) { return Max(a, b); });
    if (name == "Min") return Fold(arguments, [](const Dim& a, const Dim& b) { return Min(a, b); });
    if (arguments.size() != 2) return Dim::Unknown();
    const Dim& a = arguments[0].dim;
    const Dim& b = arguments[1].dim;
    if (name == "FloorDiv" || name == "CleanDiv") return FloorDiv(a, b);
    if (name == "Mod" || name == "PythonMod") return Mod(a, b);
    if (name == "CeilDiv") return CeilDiv(a, b);
    if (name == "Pow" || name == "PowByNatural") return Power(a, b);
    return Dim::Unknown();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool ok_ = true;
};

}  // namespace

Result<Dim> ParseSizeExpression(std::string_view text) { return Parser(text).Run(); }

}  // namespace dragoman::torch

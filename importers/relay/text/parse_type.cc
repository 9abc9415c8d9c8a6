// SPDX-License-Identifier: Apache-2.0
// Types, annotations, attributes and numbers of Relay text.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/support/text.h"
#include "importers/relay/text/parse_state.h"
#include "importers/relay/text/parser.h"
#include "importers/tvm/nd_array.h"

namespace dragoman::relay {
namespace {

constexpr int kMaxTypeDepth = 24;
constexpr int kMaxAttributeDepth = 64;

template <class T>
Tensor Scalar(T value) {
  return Tensor::Of<T>({}, std::vector<T>{value});
}

// The digits of an integer of the text, with an even number of signs taken out.
std::string WithoutDoubleSigns(std::string_view text) {
  std::size_t signs = 0;
  while (signs < text.size() && text[signs] == '-') ++signs;
  return (signs % 2 != 0 ? "-" : "") + std::string(text.substr(signs));
}

}  // namespace

// "-3", "5i64", "1.5f", "1e-05f16", "inff".
Result<Tensor> Parser::NumberOf(const Token& token) {
  std::string text = WithoutDoubleSigns(token.text);
  const auto fail = [&] { return Fail(token, "'" + Escape(token.text) + "' is not a number"); };
  const std::size_t word = text.find_first_of("n");  // inff, nanf
  const std::size_t suffix =
      word != std::string::npos ? text.find('f', word + 2) : text.find_first_of("fiu");
  const std::string kind = suffix != std::string::npos ? text.substr(suffix) : "";
  text = text.substr(0, suffix);
  if (kind.empty() || kind[0] == 'i') {
    const std::optional<std::int64_t> number = ParseInt64(text);
    // Version 0.7 wrote float64 without a suffix.
    const std::optional<double> real = ParseDouble(text);
    if (!number && kind.empty() && real && text.find('.') != std::string::npos)
      return Scalar(*real);
    if (!number) return fail();
    const bool small = *number >= std::numeric_limits<std::int32_t>::min() &&
                       *number <= std::numeric_limits<std::int32_t>::max();
    if (kind == "i64" || (kind.empty() && !small)) return Scalar(*number);
    if (!small) return fail();
    if (kind.empty() || kind == "i" || kind == "i32")
      return Scalar(static_cast<std::int32_t>(*number));
    if (kind != "i16" && kind != "i8") return fail();
    return Tensor::Full(kind == "i16" ? DType::kI16 : DType::kI8, {}, static_cast<double>(*number));
  }
  std::optional<double> real = ParseDouble(text);
  if (!real) return fail();
  if (kind == "f" || kind == "f32") {
    const std::optional<float> single = ParseFloat(text);
    return single ? Result<Tensor>(Scalar(*single)) : fail();
  }
  if (kind == "f64") return Scalar(*real);
  if (kind == "f16") return Tensor::Full(DType::kF16, {}, *real);
  return fail();
}

Result<Dim> Parser::ParseDim() {
  const Token& token = Next();
  if (token.text == "?") return Dim::Unknown();
  if (token.kind == TokenKind::kMeta) {
    DRAGOMAN_ASSIGN(const tvm::MetaName name, tvm::ParseMetaName(token.text));
    if (metadata_.empty() || name.key == "tir.Any") return Dim::Unknown();
    const Result<std::string> symbol = metadata_.Variable(name);
    if (!symbol.ok()) return Fail(token, symbol.error().findings().front().message);
    return symbol->empty() ? Dim::Unknown() : Dim::Symbol(*symbol);
  }
  if (token.kind == TokenKind::kNumber) {
    std::string_view digits = token.text;
    digits = digits.substr(0, digits.find('i'));
    const std::optional<std::int64_t> size = ParseInt64(digits);
    if (size && *size >= 0) return Dim(*size);
  }
  return Fail(token, "a size is expected, found '" + Escape(token.text) + "'");
}

Result<TypeText> Parser::ParseTensorType(const Token& start) {
  DRAGOMAN_TRY(Expect("["));
  DRAGOMAN_TRY(Expect("("));
  Shape shape;
  while (!At(")")) {
    DRAGOMAN_ASSIGN(Dim size, ParseDim());
    shape.push_back(std::move(size));
    if (!Take(",") && !At(")")) return Fail("expected ',' or ')'");
  }
  DRAGOMAN_TRY(Expect(")"));
  DRAGOMAN_TRY(Expect(","));
  DType dtype = DType::kUnknown;
  bool plain = true;
  if (!At("]")) {
    const Token& word = Next();
    const std::optional<DType> named = tvm::DTypeOfText(word.text);
    dtype = named.value_or(DType::kUnknown);
    plain = named.has_value() || word.text == "void";
    while (!At("]") && Peek().kind != TokenKind::kEnd && !plain) Next();  // custom[name]8
  }
  DRAGOMAN_TRY(Expect("]"));
  if (!plain) return TypeText{Type::Opaque("relay", SourceBetween(start, Peek())), ""};
  return TypeText{Type::Tensor(dtype, std::move(shape)), ""};
}

Result<TypeText> Parser::ParseType(int depth) {
  if (depth > kMaxTypeDepth) return Fail("types nest too deep");
  const Token& start = Next();
  if (start.text == "_") return TypeText{};
  if (start.kind == TokenKind::kMeta) return TypeText{{}, std::string(start.text)};
  if (start.text == "Tensor" && At("[")) return ParseTensorType(start);
  if (start.text == "(") {
    std::vector<Type> elements;
    bool exact = true;
    while (!At(")")) {
      DRAGOMAN_ASSIGN(const TypeText element, ParseType(depth + 1));
      elements.push_back(element.type);
      exact = exact && element.text.empty();
      if (!Take(",") && !At(")")) return Fail("expected ',' or ')'");
    }
    DRAGOMAN_TRY(Expect(")"));
    TypeText result{Type::Tuple(std::move(elements)), ""};
    if (!exact) result.text = SourceBetween(start, Peek());
    return result;
  }
  if (start.kind != TokenKind::kIdentifier) {
    return Fail(start, "a type is expected, found '" + Escape(start.text) + "'");
  }
  if (const std::optional<DType> dtype = tvm::DTypeOfText(start.text))
    return TypeText{Type::Tensor(*dtype, Shape()), ""};
  if (start.text == "fn") {
    if (Take("[")) {
      while (!At("]") && Peek().kind != TokenKind::kEnd) Next();
      DRAGOMAN_TRY(Expect("]"));
    }
    DRAGOMAN_TRY(Expect("("));
    while (!At(")")) {
      DRAGOMAN_TRY(ParseType(depth + 1));
      if (!Take(",") && !At(")")) return Fail("expected ',' or ')'");
    }
    DRAGOMAN_TRY(Expect(")"));
    DRAGOMAN_TRY(Expect("->"));
    DRAGOMAN_TRY(ParseType(depth + 1));
  } else if (At("[") || At("(")) {  // List[A], ref(A)
    const std::string_view close = Next().text == "[" ? "]" : ")";
    while (!At(close)) {
      DRAGOMAN_TRY(ParseType(depth + 1));
      if (!Take(",") && !At(close)) return Fail("expected ',' or '" + std::string(close) + "'");
    }
    DRAGOMAN_TRY(Expect(close));
  }
  return TypeText{Type::Opaque("relay", SourceBetween(start, Peek())), ""};
}

// "/* ty=Tensor[(2), int64] span=name:0:0 */", of version 0.8 "/* name */".
Status Parser::ReadAnnotation(std::string_view comment, Expr* expr) {
  const std::size_t type = comment.find("ty=");
  const std::size_t span = comment.find("span=");
  const auto trimmed = [](std::string_view text) {
    if (text.starts_with("/*")) text.remove_prefix(2);
    if (text.ends_with("*/")) text.remove_suffix(2);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    return text;
  };
  if (type == comment.npos && span == comment.npos) {
    if (expr->span.empty()) expr->span = trimmed(comment);
    return {};
  }
  if (span != comment.npos && expr->span.empty()) expr->span = trimmed(comment.substr(span + 5));
  if (type == comment.npos || expr->type.known()) return {};
  const std::size_t end = span != comment.npos && span > type ? span : comment.size() - 2;
  Result<Tokens> tokens = Tokenize(comment.substr(type + 3, end - type - 3));
  if (!tokens.ok()) return {};
  // What is not a type is a comment.
  std::swap(tokens_, *tokens);
  const std::size_t at = std::exchange(at_, 0);
  Result<TypeText> read = ParseType(0);
  at_ = at;
  std::swap(tokens_, *tokens);
  if (read.ok()) {
    expr->type = read->type;
    expr->type_text = read->text;
  }
  return {};
}

void Parser::Annotate(Expr* expr) {
  if (expr->sequence == 0) expr->sequence = ++sequence_;
  const std::string_view comment = Peek().comment;
  if (comment.empty()) return;
  const bool had_type = expr->type.known();
  (void)ReadAnnotation(comment, expr);
  // Older printers gave scalars no suffix.
  if (!expr->is_literal || had_type || !expr->type.is_tensor() || !expr->constant) return;
  const DType dtype = expr->type.dtype();
  if (dtype == expr->constant->dtype() || dtype == DType::kUnknown) return;
  Result<Tensor> typed = IsInteger(dtype) && dtype == DType::kI64
                             ? Result<Tensor>(Tensor::Int(expr->constant->IntAt(0)))
                             : Tensor::Full(dtype, {}, expr->constant->FloatAt(0));
  if (typed.ok()) expr->constant = *std::move(typed);
}

bool Parser::AtAttribute() const {
  if (Peek().kind != TokenKind::kIdentifier) return false;
  std::size_t i = 1;
  while (At(".", i) && Peek(i + 1).kind == TokenKind::kIdentifier) i += 2;
  return At("=", i);
}

Result<NamedAttribute> Parser::ParseAttribute() {
  std::string name(Next().text);
  while (Take(".")) name += "." + std::string(Next().text);
  DRAGOMAN_TRY(Expect("="));
  DRAGOMAN_ASSIGN(Attribute value, ParseAttributeValue(0));
  return NamedAttribute(std::move(name), std::move(value));
}

Result<Attribute> Parser::ParseAttributeValue(int depth) {
  if (depth > kMaxAttributeDepth) return Fail("attributes nest too deep");
  const Token& token = Next();
  if (token.text == "True" || token.text == "False") return Attribute(token.text == "True");
  if (token.text == "None" || token.text == "nullptr") return Attribute();
  if (token.kind == TokenKind::kNumber) {
    DRAGOMAN_ASSIGN(const Tensor number, NumberOf(token));
    if (IsInteger(number.dtype())) return Attribute(number.IntAt(0));
    const std::string text = WithoutDoubleSigns(token.text);
    const std::optional<double> exact = ParseDouble(text.substr(0, text.find('f')));
    return Attribute(exact ? *exact : number.FloatAt(0));
  }
  if (token.kind == TokenKind::kString) {
    Result<std::string> text = Unescape(token.text.substr(1, token.text.size() - 2));
    if (!text.ok()) return Fail(token, "the string has an unknown escape");
    return Attribute(*std::move(text));
  }
  if (token.kind == TokenKind::kMeta) {
    DRAGOMAN_ASSIGN(const tvm::MetaName name, tvm::ParseMetaName(token.text));
    Result<Attribute> value = metadata_.Value(name);
    if (!value.ok()) return Fail(token, value.error().findings().front().message);
    return value;
  }
  if (token.kind == TokenKind::kLocal) return Attribute(Symbol{"%" + std::string(token.text)});
  if (token.kind == TokenKind::kGlobal) return Attribute(Symbol{"@" + std::string(token.text)});
  if (token.text != "[" && token.text != "(")
    return Fail(token, "the value of an attribute is expected, found '" + Escape(token.text) + "'");
  const std::string_view close = token.text == "[" ? "]" : ")";
  Attribute::List items;
  while (!At(close)) {
    DRAGOMAN_ASSIGN(Attribute item, ParseAttributeValue(depth + 1));
    items.push_back(std::move(item));
    if (!Take(",") && !At(close)) return Fail("expected ',' or '" + std::string(close) + "'");
  }
  DRAGOMAN_TRY(Expect(close));
  const auto all = [&](Attribute::Kind kind) {
    return std::all_of(items.begin(), items.end(),
                       [&](const Attribute& item) { return item.kind() == kind; });
  };
  if (all(Attribute::Kind::kInt)) {
    Attribute::Ints ints;
    for (const Attribute& item : items) ints.push_back(*item.As<std::int64_t>());
    return Attribute(std::move(ints));
  }
  if (all(Attribute::Kind::kDouble)) {
    Attribute::Doubles numbers;
    for (const Attribute& item : items) numbers.push_back(*item.As<double>());
    return Attribute(std::move(numbers));
  }
  return Attribute(std::move(items));
}

}  // namespace dragoman::relay

// SPDX-License-Identifier: Apache-2.0
#include "core/support/python/expr_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/support/python/lexer.h"

namespace dragoman::python {
namespace {

struct Precedence {
  std::string_view op;
  int level;
};

constexpr int kNot = 3;
constexpr int kUnary = 11;
constexpr int kPower = 12;
constexpr std::array<Precedence, 23> kBinary = {{
    {"or", 1}, {"and", 2}, {"in", 4}, {"is", 4},  {"<", 4},  {"<=", 4}, {">", 4},       {">=", 4},
    {"==", 4}, {"!=", 4},  {"|", 5},  {"^", 6},   {"&", 7},  {"<<", 8}, {">>", 8},      {"+", 9},
    {"-", 9},  {"*", 10},  {"/", 10}, {"//", 10}, {"%", 10}, {"@", 10}, {"**", kPower},
}};

// Of source text, at least.
constexpr std::size_t kBytesAnExpr = 8;

std::string_view Close(Expr::Kind kind) {
  if (kind == Expr::Kind::kDict) return "}";
  return kind == Expr::Kind::kTuple || kind == Expr::Kind::kCall ? ")" : "]";
}

}  // namespace

ExprParser::ExprParser(std::string_view file, std::string_view text, const SourceLimits& limits)
    : TokenCursor(file, text, limits.bytes),
      limits_(limits),
      most_exprs_(limits.bytes / kBytesAnExpr) {}

ExprParser::Nested::Nested(ExprParser& parser)
    : parser_(parser), ok_(++parser.blocks_ <= kMaxSourceNesting) {
  if (!ok_) parser_.Fail(fmt::format("nesting deeper than {}", kMaxSourceNesting));
}

Expr ExprParser::ParseExprList(bool* comma) {
  Expr first = ParseExpr();
  if (comma != nullptr) *comma = false;
  if (!At(",")) return first;
  Expr tuple = Start(Expr::Kind::kTuple);
  tuple.offset = first.offset;
  tuple.parts.push_back(std::move(first));
  while (Accept(",")) {
    const bool ends = AtKind(Token::Kind::kNewline) || At("=") || At(")") || At("]") || At(":");
    if (comma != nullptr) *comma = ends;
    if (ends) break;
    tuple.parts.push_back(ParseExpr());
  }
  return Made(std::move(tuple));
}

Expr ExprParser::ParseLowExpr() {
  Expr expr = ParseExpr();
  if (expr.height > kMaxSourceHeight) {
    Fail(fmt::format("an expression of more than {} levels", kMaxSourceHeight));
    return {};
  }
  return expr;
}

Expr ExprParser::ParseExpr() {
  open_.clear();
  Expr value;
  Next next = Next::kOperand;
  while (next != Next::kEnd && !failed())
    next = next == Next::kOperand ? BeginOperand(value) : Continue(value);
  if (failed()) return {};
  return value;
}

Expr ExprParser::Start(Expr::Kind kind) const {
  Expr expr;
  expr.kind = kind;
  expr.offset = Peek().offset;
  return expr;
}

Expr ExprParser::Made(Expr expr) {
  if (++exprs_ == most_exprs_) {
    Fail(fmt::format("more than {} expressions in one file", most_exprs_));
    SkipAll();
  }
  for (const Expr& part : expr.parts) expr.height = std::max(expr.height, part.height + 1);
  if (expr.height > limits_.height)
    Fail(fmt::format("an expression of more than {} levels", limits_.height));
  return expr;
}

ExprParser::Next ExprParser::Begin(Open::Wait wait, Expr expr, int least) {
  if (blocks_ + open_.size() >= limits_.nesting)
    Fail(fmt::format("nesting deeper than {}", limits_.nesting));
  open_.push_back({wait, false, least, std::move(expr)});
  return Next::kOperand;
}

Expr ExprParser::Pop() {
  Expr expr = std::move(open_.back().expr);
  open_.pop_back();
  return expr;
}

ExprParser::Next ExprParser::BeginOperand(Expr& value) {
  const bool is_not = At("not");
  if (is_not || At("-") || At("+") || At("~")) {
    Expr sign = Start(Expr::Kind::kUnary);
    sign.text = Text(Peek());
    Advance();
    return Begin(Open::Wait::kOperand, std::move(sign), is_not ? kNot : kUnary);
  }
  if (At("lambda")) {
    Fail("a lambda is not supported", ErrorKind::kUnsupported);
    return Next::kEnd;
  }
  switch (Peek().kind) {
    case Token::Kind::kName:
      value = ParseName();
      return Next::kValue;
    case Token::Kind::kInt:
    case Token::Kind::kFloat:
    case Token::Kind::kImaginary:
      value = ParseNumber();
      return Next::kValue;
    case Token::Kind::kString:
      value = ParseString();
      return Next::kValue;
    default:
      break;
  }
  const bool is_list = At("[");
  if (!is_list && !At("(") && !At("{")) {
    Fail(fmt::format("{} where an expression is expected", Shown()));
    return Next::kEnd;
  }
  Expr bracket = Start(is_list   ? Expr::Kind::kList
                       : At("(") ? Expr::Kind::kTuple
                                 : Expr::Kind::kDict);
  Advance();
  Begin(Open::Wait::kItem, std::move(bracket));
  return BeginItem(value);
}

// After an opening bracket or a comma.
ExprParser::Next ExprParser::BeginItem(Expr& value) {
  if (failed()) return Next::kEnd;
  Open& open = open_.back();
  if (At(Close(open.expr.kind))) return CloseBracket(value);
  if (open.wait == Open::Wait::kArgument) {
    if (AtKind(Token::Kind::kName) && Text(Peek(1)) == "=") {
      open.expr.keywords.push_back(ExpectName());
      Expect("=");
    } else if (!open.expr.keywords.empty()) {
      Fail("a positional argument after one by keyword");
    }
  }
  if (open.wait == Open::Wait::kIndex && At(":")) {
    Expr slice = Start(Expr::Kind::kSlice);
    slice.parts.emplace_back();
    Begin(Open::Wait::kBound, std::move(slice));
    return BeginBound(value);
  }
  return Next::kOperand;
}

// After a bound of a slice: bounds that are left out are kMissing.
ExprParser::Next ExprParser::BeginBound(Expr& value) {
  constexpr std::size_t kBounds = 3;
  std::vector<Expr>& bounds = open_.back().expr.parts;
  while (bounds.size() < kBounds) {
    if (Accept(":") && !At(":") && !At("]") && !At(",")) return Next::kOperand;
    bounds.emplace_back();
  }
  value = Made(Pop());
  return Next::kValue;
}

ExprParser::Next ExprParser::Continue(Expr& value) {
  Next next = Next::kValue;
  if (ContinuePostfix(value, next)) return next;
  if (const Operator op = PeekOperator(); op.precedence > 0) return ContinueSigns(value);
  CloseSigns(0, value);
  const bool in_condition = !open_.empty() && open_.back().wait == Open::Wait::kCondition;
  if (!in_condition && Accept("if")) {
    Expr conditional = Start(Expr::Kind::kConditional);
    conditional.offset = value.offset;
    conditional.parts.push_back(std::move(value));
    return Begin(Open::Wait::kCondition, std::move(conditional));
  }
  return open_.empty() ? Next::kEnd : ContinueOpen(value);
}

// ".name", "(" and "[", which bind the value before any sign in front of it does.
bool ExprParser::ContinuePostfix(Expr& value, Next& next) {
  const bool is_attribute = At(".");
  const bool is_call = At("(");
  if (!is_attribute && !is_call && !At("[")) return false;
  Expr expr = Start(is_attribute ? Expr::Kind::kAttribute
                    : is_call    ? Expr::Kind::kCall
                                 : Expr::Kind::kSubscript);
  expr.offset = value.offset;
  expr.parts.push_back(std::move(value));
  Advance();
  if (is_attribute) {
    expr.text = ExpectName();
    value = Made(std::move(expr));
    return true;
  }
  Begin(is_call ? Open::Wait::kArgument : Open::Wait::kIndex, std::move(expr));
  next = BeginItem(value);
  return true;
}

ExprParser::Operator ExprParser::PeekOperator() const {
  const Token& token = Peek();
  if (token.kind != Token::Kind::kName && token.kind != Token::Kind::kOperator) return {};
  const std::string_view text = Text(token);
  if (text == "not" && Text(Peek(1)) == "in") return {"not in", 4, 2};
  if (text == "is" && Text(Peek(1)) == "not") return {"is not", 4, 2};
  for (const Precedence& known : kBinary) {
    if (known.op == text) return {text, known.level, 1};
  }
  return {};
}

// At a binary operator.
ExprParser::Next ExprParser::ContinueSigns(Expr& value) {
  const Operator op = PeekOperator();
  CloseSigns(op.precedence, value);
  Expr binary = Start(Expr::Kind::kBinary);
  binary.text = op.text;
  binary.offset = value.offset;
  binary.parts.push_back(std::move(value));
  for (int i = 0; i < op.tokens; ++i) Advance();
  // "2 ** 3 ** 2" is 2 ** 9, "2 ** -x" is allowed; all others group from the left.
  const int least = op.precedence == kPower ? kUnary : op.precedence + 1;
  return Begin(Open::Wait::kOperand, std::move(binary), least);
}

// Makes the signs that bind `value` before an operator of `precedence` does.
void ExprParser::CloseSigns(int precedence, Expr& value) {
  while (!open_.empty() && open_.back().wait == Open::Wait::kOperand &&
         open_.back().least > precedence) {
    Expr sign = Pop();
    sign.parts.push_back(std::move(value));
    value = Made(std::move(sign));
  }
}

// `value` is what the innermost bracket or conditional waited for.
ExprParser::Next ExprParser::ContinueOpen(Expr& value) {
  Open& open = open_.back();
  switch (open.wait) {
    case Open::Wait::kCondition:
      open.expr.parts.insert(open.expr.parts.begin(), std::move(value));
      open.wait = Open::Wait::kOtherwise;
      Expect("else");
      return Next::kOperand;
    case Open::Wait::kOtherwise:
      open.expr.parts.push_back(std::move(value));
      value = Made(Pop());
      return Next::kValue;
    case Open::Wait::kBound:
      open.expr.parts.push_back(std::move(value));
      return BeginBound(value);
    case Open::Wait::kIndex:
      if (At(":") && value.kind != Expr::Kind::kSlice) {
        Expr slice = Start(Expr::Kind::kSlice);
        slice.offset = value.offset;
        slice.parts.push_back(std::move(value));
        Begin(Open::Wait::kBound, std::move(slice));
        return BeginBound(value);
      }
      return EndItem(value);
    default:
      return EndItem(value);
  }
}

ExprParser::Next ExprParser::EndItem(Expr& value) {
  Open& open = open_.back();
  open.expr.parts.push_back(std::move(value));
  if (open.expr.kind == Expr::Kind::kDict && open.expr.parts.size() % 2 == 1) {
    Expect(":");
    return Next::kOperand;
  }
  open.comma = Accept(",");
  return open.comma ? BeginItem(value) : CloseBracket(value);
}

// "(x)" is x, "(x,)" and "()" are tuples; so are the items of an index.
ExprParser::Next ExprParser::CloseBracket(Expr& value) {
  const bool comma = open_.back().comma;
  Expr expr = Pop();
  Expect(Close(expr.kind));
  const bool is_tuple = expr.kind == Expr::Kind::kTuple;
  if (is_tuple && expr.parts.size() == 1 && !comma) {
    value = std::move(expr.parts.front());
    return Next::kValue;
  }
  if (expr.kind == Expr::Kind::kSubscript) {
    if (expr.parts.size() == 1) Fail("an index is missing");
    if (expr.parts.size() != 2 || comma) {
      Expr index = Start(Expr::Kind::kTuple);
      for (std::size_t i = 1; i < expr.parts.size(); ++i)
        index.parts.push_back(std::move(expr.parts[i]));
      if (!index.parts.empty()) index.offset = index.parts.front().offset;
      expr.parts.resize(1);
      expr.parts.push_back(Made(std::move(index)));
    }
  }
  value = Made(std::move(expr));
  return Next::kValue;
}

Expr ExprParser::ParseString() {
  Expr expr = Start(Expr::Kind::kString);
  for (; AtKind(Token::Kind::kString); Advance()) expr.text += StringOf(Text(Peek()));
  return Made(std::move(expr));
}

Expr ExprParser::ParseName() {
  const std::string_view name = Text(Peek());
  Expr expr = Start(name == "None"    ? Expr::Kind::kNone
                    : name == "True"  ? Expr::Kind::kTrue
                    : name == "False" ? Expr::Kind::kFalse
                                      : Expr::Kind::kName);
  if (expr.kind == Expr::Kind::kName) expr.text = name;
  Advance();
  return Made(std::move(expr));
}

Expr ExprParser::ParseNumber() {
  const Token token = Peek();
  Expr expr = Start(token.kind == Token::Kind::kInt     ? Expr::Kind::kInt
                    : token.kind == Token::Kind::kFloat ? Expr::Kind::kFloat
                                                        : Expr::Kind::kImaginary);
  if (token.kind == Token::Kind::kInt) {
    const auto value = IntOf(Text(token));
    if (!value) {
      Fail("this is not an integer of 64 bits");
      return expr;
    }
    expr.int_value = *value;
  } else {
    expr.float_value = FloatOf(Text(token));
  }
  Advance();
  return Made(std::move(expr));
}

}  // namespace dragoman::python

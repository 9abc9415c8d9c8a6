#include "core/support/python/expr_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/support/python/source_error.h"
#include "core/support/python/syntax.h"

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

std::string Shown(const Token& token, std::string_view text) {
  switch (token.kind) {
    case Token::Kind::kNewline:
      return "the end of the line";
    case Token::Kind::kEnd:
      return "the end of the file";
    case Token::Kind::kIndent:
    case Token::Kind::kDedent:
      return "another indentation";
    default:
      return fmt::format("'{}'", text.substr(0, 40));
  }
}

// Of source text, at least.
constexpr std::size_t kBytesAnExpr = 8;

}  // namespace

ExprParser::ExprParser(std::string_view file, std::string_view text, std::size_t most)
    : file_(file),
      text_(text),
      tokens_(Tokenize(file, text, findings_, most)),
      most_exprs_(most / kBytesAnExpr) {
  if (text.size() > most) text_ = {};
}

ExprParser::Nested::Nested(ExprParser& parser)
    : parser_(parser), ok_(++parser.depth_ <= kMaxSourceNesting) {
  if (!ok_) parser_.Fail(fmt::format("nesting deeper than {}", kMaxSourceNesting));
}

const Token& ExprParser::Peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool ExprParser::At(std::string_view name_or_operator) const {
  const Token& token = Peek();
  return (token.kind == Token::Kind::kName || token.kind == Token::Kind::kOperator) &&
         Text(token) == name_or_operator;
}

void ExprParser::Advance() {
  if (at_ + 1 < tokens_.size()) ++at_;
}

bool ExprParser::Accept(std::string_view name_or_operator) {
  if (!At(name_or_operator)) return false;
  Advance();
  return true;
}

bool ExprParser::AcceptKind(Token::Kind kind) {
  if (!AtKind(kind)) return false;
  Advance();
  return true;
}

void ExprParser::Expect(std::string_view name_or_operator) {
  if (Accept(name_or_operator)) return;
  Fail(fmt::format("{} where '{}' is expected", Shown(Peek(), Text(Peek())), name_or_operator));
}

std::string ExprParser::ExpectName() {
  if (!AtKind(Token::Kind::kName)) {
    Fail(fmt::format("{} where a name is expected", Shown(Peek(), Text(Peek()))));
    return {};
  }
  std::string name(Text(Peek()));
  Advance();
  return name;
}

void ExprParser::Fail(std::string message) {
  if (!failed_ && findings_.size() < kMaxSourceFindings) {
    findings_.push_back(
        FindingAt(ErrorKind::kInvalidInput, file_, text_, Peek().offset, std::move(message)));
  }
  failed_ = true;
  SkipLine();
}

void ExprParser::SkipLine() {
  while (!AtKind(Token::Kind::kNewline) && !AtEnd()) Advance();
}

Expr ExprParser::Make(Expr::Kind kind, std::vector<Expr> parts) {
  if (++exprs_ == most_exprs_) {
    Fail(fmt::format("more than {} expressions in one file", most_exprs_));
    at_ = tokens_.size() - 1;
  }
  Expr expr;
  for (const Expr& part : parts)
    expr.height = std::max<std::uint16_t>(expr.height, part.height + 1);
  if (expr.height > kMaxSourceHeight) {
    Fail(fmt::format("an expression of more than {} levels", kMaxSourceHeight));
    return {};
  }
  expr.kind = kind;
  expr.offset = parts.empty() ? Peek().offset : parts.front().offset;
  expr.parts = std::move(parts);
  return expr;
}

Expr ExprParser::ParseExprList(bool* comma) {
  Expr first = ParseExpr();
  if (comma != nullptr) *comma = false;
  if (!At(",")) return first;
  std::vector<Expr> items;
  items.push_back(std::move(first));
  while (Accept(",")) {
    const bool ends = AtKind(Token::Kind::kNewline) || At("=") || At(")") || At("]") || At(":");
    if (comma != nullptr) *comma = ends;
    if (ends) break;
    items.push_back(ParseExpr());
  }
  return Make(Expr::Kind::kTuple, std::move(items));
}

Expr ExprParser::ParseExpr() {
  const Nested nested(*this);
  if (!nested.ok()) return {};
  Expr value = ParseBinary(1);
  if (!Accept("if")) return value;
  Expr condition = ParseBinary(1);
  Expect("else");
  Expr otherwise = ParseExpr();
  std::vector<Expr> parts;
  parts.push_back(std::move(condition));
  parts.push_back(std::move(value));
  parts.push_back(std::move(otherwise));
  return Make(Expr::Kind::kConditional, std::move(parts));
}

ExprParser::Operator ExprParser::PeekOperator() const {
  const Token& token = Peek();
  if (token.kind != Token::Kind::kName && token.kind != Token::Kind::kOperator) return {};
  const std::string_view text = Text(token);
  if (text == "not" && Text(Peek(1)) == "in") return {"not in", 4, 2};
  if (text == "is" && Text(Peek(1)) == "not") return {"is not", 4, 2};
  for (const Precedence& known : kBinary) {
    if (known.op == text) return {std::string(text), known.level, 1};
  }
  return {};
}

Expr ExprParser::ParseBinary(int lowest) {
  Expr left = ParseUnary();
  for (Operator op = PeekOperator(); op.precedence >= lowest; op = PeekOperator()) {
    const Nested nested(*this);
    if (!nested.ok()) return left;
    for (int i = 0; i < op.tokens; ++i) Advance();
    Expr right = op.precedence == kPower ? ParseUnary() : ParseBinary(op.precedence + 1);
    std::vector<Expr> parts;
    parts.push_back(std::move(left));
    parts.push_back(std::move(right));
    left = Make(Expr::Kind::kBinary, std::move(parts));
    left.text = std::move(op.text);
  }
  return left;
}

Expr ExprParser::ParseUnary() {
  const bool is_not = At("not");
  if (!is_not && !At("-") && !At("+") && !At("~")) return ParsePostfix();
  const Nested nested(*this);
  if (!nested.ok()) return {};
  const std::uint32_t offset = Peek().offset;
  std::string op(Text(Peek()));
  Advance();
  std::vector<Expr> parts;
  parts.push_back(ParseBinary(is_not ? kNot : kUnary));
  Expr expr = Make(Expr::Kind::kUnary, std::move(parts));
  expr.offset = offset;
  expr.text = std::move(op);
  return expr;
}

Expr ExprParser::ParsePostfix() {
  Expr expr = ParseAtom();
  while (At(".") || At("(") || At("[")) {
    if (At("(")) {
      expr = ParseCall(std::move(expr));
      continue;
    }
    const bool attribute = Accept(".");
    std::vector<Expr> parts;
    parts.push_back(std::move(expr));
    if (!attribute) parts.push_back(ParseIndex());
    expr = Make(attribute ? Expr::Kind::kAttribute : Expr::Kind::kSubscript, std::move(parts));
    if (attribute) expr.text = ExpectName();
  }
  return expr;
}

Expr ExprParser::ParseCall(Expr callee) {
  Expect("(");
  std::vector<Expr> parts;
  std::vector<std::string> keywords;
  parts.push_back(std::move(callee));
  while (!At(")") && !failed_) {
    const bool keyword = AtKind(Token::Kind::kName) && Text(Peek(1)) == "=";
    if (keyword) {
      keywords.push_back(ExpectName());
      Expect("=");
    } else if (!keywords.empty()) {
      Fail("a positional argument behind one by keyword");
    }
    parts.push_back(ParseExpr());
    if (!Accept(",")) break;
  }
  Expect(")");
  Expr call = Make(Expr::Kind::kCall, std::move(parts));
  call.keywords = std::move(keywords);
  return call;
}

Expr ExprParser::ParseSlicePart() {
  if (At(":") || At("]") || At(",")) return Make(Expr::Kind::kMissing);
  return ParseExpr();
}

// A tuple index is a kTuple; each part may be a slice.
Expr ExprParser::ParseIndex() {
  Expect("[");
  std::vector<Expr> items;
  bool comma = false;
  while (!At("]") && !failed_) {
    Expr item = ParseSlicePart();
    if (At(":")) {
      std::vector<Expr> parts;
      parts.push_back(std::move(item));
      for (int i = 0; i < 2; ++i) {
        parts.push_back(Accept(":") ? ParseSlicePart() : Make(Expr::Kind::kMissing));
      }
      item = Make(Expr::Kind::kSlice, std::move(parts));
    }
    items.push_back(std::move(item));
    if (!Accept(",")) break;
    comma = true;
  }
  Expect("]");
  if (items.empty()) Fail("an index is missing");
  if (items.size() == 1 && !comma) return std::move(items.front());
  return Make(Expr::Kind::kTuple, std::move(items));
}

Expr ExprParser::ParseAtom() {
  switch (Peek().kind) {
    case Token::Kind::kName:
      return ParseNameAtom();
    case Token::Kind::kInt:
    case Token::Kind::kFloat:
    case Token::Kind::kImaginary:
      return ParseNumber();
    case Token::Kind::kString: {
      Expr expr = Make(Expr::Kind::kString);
      for (; AtKind(Token::Kind::kString); Advance()) expr.text += StringOf(Text(Peek()));
      return expr;
    }
    default:
      break;
  }
  if (At("[")) return ParseBracketed(Expr::Kind::kList, "]");
  if (At("(")) return ParseBracketed(Expr::Kind::kTuple, ")");
  if (At("{")) return ParseDict();
  Fail(fmt::format("{} where an expression is expected", Shown(Peek(), Text(Peek()))));
  return {};
}

Expr ExprParser::ParseNameAtom() {
  const std::string_view name = Text(Peek());
  Expr expr = Make(name == "None"    ? Expr::Kind::kNone
                   : name == "True"  ? Expr::Kind::kTrue
                   : name == "False" ? Expr::Kind::kFalse
                                     : Expr::Kind::kName);
  if (expr.kind == Expr::Kind::kName) expr.text = name;
  Advance();
  return expr;
}

Expr ExprParser::ParseNumber() {
  const Token token = Peek();
  if (token.kind == Token::Kind::kInt) {
    Expr expr = Make(Expr::Kind::kInt);
    const auto value = IntOf(Text(token));
    if (!value) {
      Fail("this is no integer of 64 bits");
      return expr;
    }
    expr.int_value = *value;
    Advance();
    return expr;
  }
  Expr expr = Make(token.kind == Token::Kind::kFloat ? Expr::Kind::kFloat : Expr::Kind::kImaginary);
  expr.float_value = FloatOf(Text(token));
  Advance();
  return expr;
}

// "(x)" is x, "(x,)" and "()" are tuples.
Expr ExprParser::ParseBracketed(Expr::Kind kind, std::string_view close) {
  const std::uint32_t offset = Peek().offset;
  Advance();
  std::vector<Expr> items;
  bool comma = false;
  while (!At(close) && !failed_) {
    items.push_back(ParseExpr());
    comma = Accept(",");
    if (!comma) break;
  }
  Expect(close);
  if (kind == Expr::Kind::kTuple && items.size() == 1 && !comma) return std::move(items.front());
  Expr expr = Make(kind, std::move(items));
  expr.offset = offset;
  return expr;
}

Expr ExprParser::ParseDict() {
  const std::uint32_t offset = Peek().offset;
  Expect("{");
  std::vector<Expr> items;
  while (!At("}") && !failed_) {
    items.push_back(ParseExpr());
    Expect(":");
    items.push_back(ParseExpr());
    if (!Accept(",")) break;
  }
  Expect("}");
  Expr expr = Make(Expr::Kind::kDict, std::move(items));
  expr.offset = offset;
  return expr;
}

}  // namespace dragoman::python

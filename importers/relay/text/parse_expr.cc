// SPDX-License-Identifier: Apache-2.0
// Expressions of Relay text.
#include <algorithm>
#include <array>
#include <utility>

#include "core/support/text.h"
#include "importers/relay/text/parse_state.h"
#include "importers/relay/text/parser.h"

namespace dragoman::relay {
namespace {

struct Operator {
  std::string_view sign;
  std::string_view name;
  int level;  // the higher, the stronger it binds
};

constexpr std::array<Operator, 10> kOperators = {{
    {"==", "equal", 0},
    {"!=", "not_equal", 0},
    {"<", "less", 1},
    {"<=", "less_equal", 1},
    {">", "greater", 1},
    {">=", "greater_equal", 1},
    {"+", "add", 2},
    {"-", "subtract", 2},
    {"*", "multiply", 3},
    {"/", "divide", 3},
}};

const Operator* FindOperator(std::string_view sign) {
  const auto* found = std::ranges::find(kOperators, sign, &Operator::sign);
  return found != kOperators.end() ? found : nullptr;
}

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

// What stands between braces: bindings and an expression at their end.
Deep<Result<Expr*>> Parser::ParseBody(int depth) {
  if (depth > kMaxTextDepth) co_return Fail("expressions nest too deep");
  const std::size_t mark = bound_.size();
  std::vector<Expr*> lets;
  Expr* result = nullptr;
  while (result == nullptr) {
    if (At("let")) {
      DRAGOMAN_CO_TRY(co_await ParseLet(lets, depth));
      continue;
    }
    if (At("free_var")) {
      DRAGOMAN_CO_TRY(ParseFreeVariable());
      continue;
    }
    if (Peek().kind == TokenKind::kLocal && IsDigits(Peek().text) && At("=", 1)) {
      const Token& name = Next();
      DRAGOMAN_CO_TRY(Expect("="));
      DRAGOMAN_CO_ASSIGN(Expr * value, co_await ParseBinary(0, depth));
      DRAGOMAN_CO_TRY(Expect(";"));
      if (value->variable.empty()) value->variable = name.text;
      if (!graph_variables_.emplace(name.text, value).second)
        co_return Fail(name, "%" + std::string(name.text) + " is defined twice");
      continue;
    }
    const Token& start = Peek();
    Expr* value = nullptr;
    if (Take("{")) {
      DRAGOMAN_CO_ASSIGN(value, co_await ParseBody(depth + 1));
      DRAGOMAN_CO_TRY(Expect("}"));
    } else {
      DRAGOMAN_CO_ASSIGN(value, co_await ParseBinary(0, depth));
    }
    bool more = false;
    while (Take(";")) more = true;
    if (!more || At("}") || At(")") || At("def") || At("type") || Peek().kind == TokenKind::kEnd) {
      result = value;
      break;
    }
    Expr* variable = Make(ExprKind::kLetVariable, start);
    variable->name = "_";
    variable->operands = {value};
    variable->sequence = ++sequence_;
    lets.push_back(Make(ExprKind::kLet, start));
    lets.back()->operands = {variable, nullptr};
  }
  UnbindTo(mark);
  for (auto let = lets.rbegin(); let != lets.rend(); ++let) {
    (*let)->operands[1] = result;
    (*let)->sequence = ++sequence_;
    result = *let;
  }
  co_return result;
}

Deep<Status> Parser::ParseLet(std::vector<Expr*>& lets, int depth) {
  const Token& start = Next();
  const Token& name = Next();
  if (name.kind != TokenKind::kLocal) co_return Fail(name, "the name of a variable is expected");
  Expr* variable = Make(ExprKind::kLetVariable, name);
  variable->name = name.text;
  variable->operands.resize(1);
  (void)ReadAnnotation(Peek().comment, variable);
  if (Take(":")) {
    DRAGOMAN_CO_ASSIGN(const TypeText type, ParseType(0));
    variable->type = type.type;
    variable->type_text = type.text;
  }
  DRAGOMAN_CO_TRY(Expect("="));
  Expr* self = Make(ExprKind::kSelf, name);
  self->self = variable;
  self->name = variable->name;
  const std::size_t mark = bound_.size();
  Bind(variable->name, self);
  DRAGOMAN_CO_ASSIGN(variable->operands[0], co_await ParseBinary(0, depth));
  UnbindTo(mark);
  variable->sequence = ++sequence_;
  if (variable->is_recursive && variable->operands[0]->kind != ExprKind::kFunction)
    co_return Fail(name,
                   "%" + variable->name + " is used in its own value, which is not a function");
  Bind(variable->name, variable);
  lets.push_back(Make(ExprKind::kLet, start));
  lets.back()->operands = {variable, nullptr};
  co_return Expect(";");
}

Status Parser::ParseFreeVariable() {
  Next();
  const Token& name = Next();
  if (name.kind != TokenKind::kLocal) return Fail(name, "the name of a variable is expected");
  Expr* variable = Make(ExprKind::kParameter, name);
  variable->name = name.text;
  if (Take(":")) {
    DRAGOMAN_ASSIGN(const TypeText type, ParseType(0));
    variable->type = type.type;
    variable->type_text = type.text;
  }
  (void)ReadAnnotation(Peek().comment, variable);
  Take(";");
  free_variables_.push_back(variable);
  Bind(variable->name, variable);
  return {};
}

// An expression of operators that bind as `lowest` does, or stronger.
Deep<Result<Expr*>> Parser::ParseBinary(int lowest, int depth) {
  if (depth > kMaxTextDepth) co_return Fail("expressions nest too deep");
  DRAGOMAN_CO_ASSIGN(Expr * left, co_await ParseCall(depth));
  while (true) {
    const Operator* found = Peek().kind == TokenKind::kPunct ? FindOperator(Peek().text) : nullptr;
    if (found == nullptr || found->level < lowest) co_return left;
    Expr* call = Make(ExprKind::kCall, Next());
    call->name = found->name;
    DRAGOMAN_CO_ASSIGN(Expr * right, co_await ParseBinary(found->level + 1, depth));
    call->operands = {left, right};
    left = call;
    Annotate(left);
  }
}

Deep<Result<Expr*>> Parser::ParseCall(int depth) {
  DRAGOMAN_CO_ASSIGN(Expr * expr, co_await ParseAtom(depth));
  Annotate(expr);
  while (true) {
    if (At("(")) {
      DRAGOMAN_CO_ASSIGN(expr, co_await ParseArguments(expr, depth));
    } else if (At(".") && Peek(1).kind == TokenKind::kNumber) {
      Next();
      const Token& digits = Next();
      DRAGOMAN_CO_ASSIGN(expr, Project(expr, digits.text, digits));
    } else if (At("^")) {  // up to version 0.7
      expr = MakeReference("ref_read", Next(), {expr});
    } else {
      co_return expr;
    }
    Annotate(expr);
  }
}

Deep<Result<Expr*>> Parser::ParseArguments(Expr* callee, int depth) {
  Next();
  Expr* call = nullptr;
  if (callee->kind == ExprKind::kName) {
    // A name is made for this call alone.
    call = callee;
    call->kind = ExprKind::kCall;
    call->sequence = 0;
  } else {
    Token place;
    place.line = callee->place.line;
    place.column = callee->place.column;
    call = Make(ExprKind::kCall, place);
    call->operands = {callee};
  }
  while (!At(")")) {
    if (AtAttribute()) {
      DRAGOMAN_CO_ASSIGN(NamedAttribute attribute, ParseAttribute());
      if (dragoman::Find(call->attributes, attribute.name) != nullptr)
        co_return Fail("attribute " + attribute.name + " is given twice");
      call->attributes.push_back(std::move(attribute));
    } else if (Peek().kind == TokenKind::kMeta && Peek().text.find("Attrs]") != std::string::npos) {
      const Token& token = Next();
      DRAGOMAN_CO_ASSIGN(const tvm::MetaName name, tvm::ParseMetaName(token.text));
      if (metadata_.empty()) {
        call->attributes.emplace_back("meta", Symbol{std::string(token.text)});
      } else {
        Result<std::vector<NamedAttribute>> fields = metadata_.Fields(name);
        if (!fields.ok()) co_return Fail(token, fields.error().findings().front().message);
        call->attributes = *std::move(fields);
      }
    } else {
      DRAGOMAN_CO_ASSIGN(Expr * operand, co_await ParseBody(depth + 1));
      call->operands.push_back(operand);
    }
    if (!Take(",") && !At(")")) DRAGOMAN_CO_TRY(Expect(")"));
  }
  Next();
  co_return call;
}

Result<Expr*> Parser::Project(Expr* tuple, std::string_view digits, const Token& token) {
  Expr* expr = Make(ExprKind::kProjection, token);
  const std::optional<std::int64_t> index = ParseInt64(digits);
  if (!index || *index < 0) return Fail(token, "the number of an element is expected");
  expr->operands = {tuple};
  expr->index = *index;
  return expr;
}

Result<Expr*> Parser::ParseLocal() {
  const Token& token = Next();
  const std::string name(token.text);
  const auto resolve = [&](const std::string& wanted) -> Expr* {
    if (IsDigits(wanted)) {
      const auto found = graph_variables_.find(wanted);
      if (found != graph_variables_.end()) return found->second;
    }
    Expr* expr = Find(wanted);
    if (expr != nullptr && expr->kind == ExprKind::kSelf) expr->self->is_recursive = true;
    return expr;
  };
  if (Expr* whole = resolve(name)) return whole;
  const std::size_t point = name.rfind('.');
  if (point != std::string::npos && IsDigits(std::string_view(name).substr(point + 1))) {
    if (Expr* tuple = resolve(name.substr(0, point)))
      return Project(tuple, std::string_view(token.text).substr(point + 1), token);
  }
  constexpr std::size_t kShown = 80;
  const std::string_view shown = std::string_view(name).substr(0, kShown);
  return Fail(token, "%" + Escape(shown) + (name.size() > kShown ? "…" : "") + " is not defined");
}

Result<Expr*> Parser::ParseMetaValue() {
  const Token& token = Next();
  const auto known = constants_.find(token.text);
  if (known != constants_.end()) return known->second;
  DRAGOMAN_ASSIGN(const tvm::MetaName name, tvm::ParseMetaName(token.text));
  if (name.key != "relay.Constant")
    return Unsupported("'" + Escape(token.text) + "' is not a constant").At(PlaceOf(token));
  if (metadata_.empty()) {
    return Fail(token,
                "the text has no metadata section, so that its constants are missing; print it "
                "with astext(show_meta_data=True)");
  }
  auto tensor = tensors_.find(token.text);
  if (tensor == tensors_.end()) {
    Result<Tensor> read = metadata_.Constant(name);
    if (!read.ok()) {
      Finding finding = read.error().findings().front();
      if (!finding.place.empty()) finding.message += " (" + finding.place + " of the array)";
      finding.place = PlaceOf(token);
      return Error(std::move(finding));
    }
    tensor = tensors_.emplace(std::string(token.text), *std::move(read)).first;
  }
  Expr* expr = Make(ExprKind::kConstant, token);
  expr->constant = tensor->second;
  constants_.emplace(std::string(token.text), expr);
  return expr;
}

Deep<Result<Expr*>> Parser::ParseAtom(int depth) {
  if (depth > kMaxTextDepth) co_return Fail("expressions nest too deep");
  const Token& token = Peek();
  switch (token.kind) {
    case TokenKind::kLocal:
      co_return ParseLocal();
    case TokenKind::kMeta:
      co_return ParseMetaValue();
    case TokenKind::kIdentifier:
      co_return co_await ParseWord(depth);
    case TokenKind::kGlobal: {
      Expr* expr = Make(ExprKind::kGlobal, Next());
      expr->name = token.text;
      co_return expr;
    }
    case TokenKind::kNumber: {
      Expr* expr = Make(ExprKind::kConstant, Next());
      DRAGOMAN_CO_ASSIGN(expr->constant, NumberOf(token));
      expr->is_literal = true;
      co_return expr;
    }
    default:
      break;
  }
  if (At("(")) co_return co_await ParseParentheses(depth);
  if (At("-")) {  // of version 0.0.4
    Expr* call = Make(ExprKind::kCall, Next());
    call->name = "negative";
    DRAGOMAN_CO_ASSIGN(Expr * operand, co_await ParseCall(depth + 1));
    call->operands = {operand};
    co_return call;
  }
  const std::string found =
      token.kind == TokenKind::kEnd ? "the end of the text" : "'" + Escape(token.text) + "'";
  co_return Fail("an expression is expected, found " + found);
}

Deep<Result<Expr*>> Parser::ParseWord(int depth) {
  const Token& token = Peek();
  if (token.text == "fn") {
    Next();
    co_return co_await ParseFunction(token, depth);
  }
  if (token.text == "if") co_return co_await ParseIf(depth);
  if (token.text == "match" || token.text == "match?") co_return co_await ParseMatch(depth);
  if (token.text.starts_with("ref") && At("(", 1)) co_return co_await ParseReference(depth);
  Next();
  if (token.text == "True" || token.text == "False") {
    Expr* expr = Make(ExprKind::kConstant, token);
    expr->constant = Tensor::Of<bool>({}, std::array<bool, 1>{token.text == "True"});
    co_return expr;
  }
  Expr* expr = Make(ExprKind::kName, token);
  expr->name = token.text;
  while (At(".") && Peek(1).kind == TokenKind::kIdentifier) {
    Next();
    expr->name += "." + std::string(Next().text);
  }
  co_return expr;
}

Deep<Result<Expr*>> Parser::ParseParentheses(int depth) {
  const Token& start = Next();
  std::vector<Expr*> items;
  bool comma = false;
  while (!At(")")) {
    DRAGOMAN_CO_ASSIGN(Expr * item, co_await ParseBody(depth + 1));
    items.push_back(item);
    if (items.size() == 1 && At(":=")) {  // up to version 0.7
      const Token& sign = Next();
      DRAGOMAN_CO_ASSIGN(Expr * value, co_await ParseBody(depth + 1));
      DRAGOMAN_CO_TRY(Expect(")"));
      co_return MakeReference("ref_write", sign, {item, value});
    }
    if (!Take(",")) break;
    comma = true;
  }
  DRAGOMAN_CO_TRY(Expect(")"));
  if (items.size() == 1 && !comma) co_return items.front();
  Expr* tuple = Make(ExprKind::kTuple, start);
  tuple->operands = std::move(items);
  co_return tuple;
}

Deep<Result<Expr*>> Parser::ParseIf(int depth) {
  Expr* expr = Make(ExprKind::kIf, Next());
  DRAGOMAN_CO_TRY(Expect("("));
  DRAGOMAN_CO_ASSIGN(Expr * condition, co_await ParseBody(depth + 1));
  DRAGOMAN_CO_TRY(Expect(")"));
  expr->operands = {condition};
  expr->blocks.resize(2);
  DRAGOMAN_CO_TRY(Expect("{"));
  DRAGOMAN_CO_ASSIGN(expr->blocks[0].root, co_await ParseBody(depth + 1));
  DRAGOMAN_CO_TRY(Expect("}"));
  DRAGOMAN_CO_TRY(Expect("else"));
  DRAGOMAN_CO_TRY(Expect("{"));
  DRAGOMAN_CO_ASSIGN(expr->blocks[1].root, co_await ParseBody(depth + 1));
  DRAGOMAN_CO_TRY(Expect("}"));
  co_return expr;
}

Expr* Parser::MakeReference(std::string_view what, const Token& token,
                            std::vector<Expr*> operands) {
  Expr* expr = Make(ExprKind::kRef, token);
  expr->name = what;
  expr->operands = std::move(operands);
  return expr;
}

Deep<Result<Expr*>> Parser::ParseReference(int depth) {
  Expr* expr = Make(ExprKind::kRef, Peek());
  expr->name = Next().text;
  if (expr->name != "ref" && expr->name != "ref_read" && expr->name != "ref_write")
    co_return Fail("operator " + expr->name + " is not known");
  DRAGOMAN_CO_TRY(Expect("("));
  while (!At(")")) {
    DRAGOMAN_CO_ASSIGN(Expr * operand, co_await ParseBody(depth + 1));
    expr->operands.push_back(operand);
    if (!Take(",")) break;
  }
  const std::size_t count = expr->name == "ref_write" ? 2 : 1;
  if (expr->operands.size() != count)
    co_return Fail(expr->name + " has another number of operands");
  DRAGOMAN_CO_TRY(Expect(")"));
  co_return expr;
}

Status Parser::ParseParameters(Expr* function, Block& block) {
  Attribute::Dict attributes;
  while (!At(")")) {
    if (AtAttribute()) {
      DRAGOMAN_ASSIGN(NamedAttribute attribute, ParseAttribute());
      attributes.push_back(std::move(attribute));
    } else {
      const Token& name = Next();
      if (name.kind != TokenKind::kLocal) return Fail(name, "the name of a parameter is expected");
      Expr* parameter = Make(ExprKind::kParameter, name);
      parameter->name = name.text;
      if (Take("{")) {
        while (!At("}")) {
          DRAGOMAN_ASSIGN(NamedAttribute attribute, ParseAttribute());
          parameter->attributes.push_back(std::move(attribute));
          if (!Take(",")) break;
        }
        DRAGOMAN_TRY(Expect("}"));
      }
      if (Take(":")) {
        DRAGOMAN_ASSIGN(const TypeText type, ParseType(0));
        parameter->type = type.type;
        parameter->type_text = type.text;
      }
      (void)ReadAnnotation(Peek().comment, parameter);
      block.parameters.push_back(parameter);
    }
    if (!Take(",") && !At(")")) DRAGOMAN_TRY(Expect(")"));
  }
  Next();
  if (!attributes.empty()) function->attributes.emplace_back("attrs", std::move(attributes));
  return {};
}

// After `fn` or the name of a `def`.
Deep<Result<Expr*>> Parser::ParseFunction(const Token& start, int depth) {
  if (depth > kMaxTextDepth) co_return Fail("functions nest too deep");
  Expr* function = Make(ExprKind::kFunction, start);
  function->blocks.resize(1);
  Block& block = function->blocks[0];
  if (Take("[")) {
    Attribute::Strings names;
    while (!At("]") && Peek().kind == TokenKind::kIdentifier) {
      names.emplace_back(Next().text);
      if (!Take(",")) break;
    }
    DRAGOMAN_CO_TRY(Expect("]"));
    function->attributes.emplace_back("type_params", std::move(names));
  }
  DRAGOMAN_CO_TRY(Expect("("));
  DRAGOMAN_CO_TRY(ParseParameters(function, block));
  if (Take("->")) {
    DRAGOMAN_CO_ASSIGN(const TypeText type, ParseType(0));
    function->attributes.emplace_back(
        "ret_type", type.text.empty() ? Attribute(type.type) : Attribute(type.text));
  }
  DRAGOMAN_CO_TRY(Expect("{"));
  const std::size_t mark = bound_.size();
  for (Expr* parameter : block.parameters) Bind(parameter->name, parameter);
  DRAGOMAN_CO_ASSIGN(block.root, co_await ParseBody(depth + 1));
  UnbindTo(mark);
  DRAGOMAN_CO_TRY(Expect("}"));
  co_return function;
}

}  // namespace dragoman::relay

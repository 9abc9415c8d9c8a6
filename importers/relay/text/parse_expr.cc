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
};

// From those that bind weakest.
constexpr std::array<std::array<Operator, 4>, 4> kOperators = {{
    {{{"==", "equal"}, {"!=", "not_equal"}}},
    {{{"<", "less"}, {"<=", "less_equal"}, {">", "greater"}, {">=", "greater_equal"}}},
    {{{"+", "add"}, {"-", "subtract"}}},
    {{{"*", "multiply"}, {"/", "divide"}}},
}};

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

// What stands between braces: bindings and an expression at their end.
Result<Expr*> Parser::ParseBody(int depth) {
  if (depth > kMaxTextDepth) return Fail("expressions nest too deep");
  const std::size_t mark = bound_.size();
  std::vector<Expr*> lets;
  Expr* result = nullptr;
  while (result == nullptr) {
    if (At("let")) {
      DRAGOMAN_TRY(ParseLet(lets, depth));
      continue;
    }
    if (At("free_var")) {
      DRAGOMAN_TRY(ParseFreeVariable());
      continue;
    }
    if (Peek().kind == TokenKind::kLocal && IsDigits(Peek().text) && At("=", 1)) {
      const Token& name = Next();
      DRAGOMAN_TRY(Expect("="));
      DRAGOMAN_ASSIGN(Expr * value, ParseBinary(0, depth + 1));
      DRAGOMAN_TRY(Expect(";"));
      if (value->variable.empty()) value->variable = name.text;
      if (!graph_variables_.emplace(name.text, value).second)
        return Fail(name, "%" + std::string(name.text) + " is defined twice");
      continue;
    }
    const Token& start = Peek();
    Expr* value = nullptr;
    if (Take("{")) {
      DRAGOMAN_ASSIGN(value, ParseBody(depth + 1));
      DRAGOMAN_TRY(Expect("}"));
    } else {
      DRAGOMAN_ASSIGN(value, ParseBinary(0, depth + 1));
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
  return result;
}

Status Parser::ParseLet(std::vector<Expr*>& lets, int depth) {
  const Token& start = Next();
  const Token& name = Next();
  if (name.kind != TokenKind::kLocal) return Fail(name, "the name of a variable is expected");
  Expr* variable = Make(ExprKind::kLetVariable, name);
  variable->name = name.text;
  variable->operands.resize(1);
  (void)ReadAnnotation(Peek().comment, variable);
  if (Take(":")) {
    DRAGOMAN_ASSIGN(const TypeText type, ParseType(0));
    variable->type = type.type;
    variable->type_text = type.text;
  }
  DRAGOMAN_TRY(Expect("="));
  Expr* self = Make(ExprKind::kSelf, name);
  self->self = variable;
  self->name = variable->name;
  const std::size_t mark = bound_.size();
  Bind(variable->name, self);
  DRAGOMAN_ASSIGN(variable->operands[0], ParseBinary(0, depth + 1));
  UnbindTo(mark);
  variable->sequence = ++sequence_;
  if (variable->is_recursive && variable->operands[0]->kind != ExprKind::kFunction)
    return Fail(name, "%" + variable->name + " is used in its own value, which is no function");
  Bind(variable->name, variable);
  lets.push_back(Make(ExprKind::kLet, start));
  lets.back()->operands = {variable, nullptr};
  return Expect(";");
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

Result<Expr*> Parser::ParseBinary(int level, int depth) {
  if (depth > kMaxTextDepth) return Fail("expressions nest too deep");
  if (level == static_cast<int>(kOperators.size())) return ParseCall(depth);
  DRAGOMAN_ASSIGN(Expr * left, ParseBinary(level + 1, depth));
  while (true) {
    const auto& row = kOperators[static_cast<std::size_t>(level)];
    const auto* found = std::find_if(row.begin(), row.end(), [&](const Operator& op) {
      return !op.sign.empty() && Peek().kind == TokenKind::kPunct && Peek().text == op.sign;
    });
    if (found == row.end()) return left;
    Expr* call = Make(ExprKind::kCall, Next());
    call->name = found->name;
    DRAGOMAN_ASSIGN(Expr * right, ParseBinary(level + 1, depth));
    call->operands = {left, right};
    left = call;
    Annotate(left);
  }
}

Result<Expr*> Parser::ParseCall(int depth) {
  DRAGOMAN_ASSIGN(Expr * expr, ParseAtom(depth));
  Annotate(expr);
  while (true) {
    if (At("(")) {
      DRAGOMAN_ASSIGN(expr, ParseArguments(expr, depth));
    } else if (At(".") && Peek(1).kind == TokenKind::kNumber) {
      Next();
      const Token& digits = Next();
      DRAGOMAN_ASSIGN(expr, Project(expr, digits.text, digits));
    } else if (At("^")) {  // up to version 0.7
      expr = MakeReference("ref_read", Next(), {expr});
    } else {
      return expr;
    }
    Annotate(expr);
  }
}

Result<Expr*> Parser::ParseArguments(Expr* callee, int depth) {
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
      DRAGOMAN_ASSIGN(NamedAttribute attribute, ParseAttribute(depth));
      if (dragoman::Find(call->attributes, attribute.name) != nullptr)
        return Fail("attribute " + attribute.name + " is given twice");
      call->attributes.push_back(std::move(attribute));
    } else if (Peek().kind == TokenKind::kMeta && Peek().text.find("Attrs]") != std::string::npos) {
      const Token& token = Next();
      DRAGOMAN_ASSIGN(const tvm::MetaName name, tvm::ParseMetaName(token.text));
      if (metadata_.empty()) {
        call->attributes.emplace_back("meta", Symbol{std::string(token.text)});
      } else {
        Result<std::vector<NamedAttribute>> fields = metadata_.Fields(name);
        if (!fields.ok()) return Fail(token, fields.error().findings().front().message);
        call->attributes = *std::move(fields);
      }
    } else {
      DRAGOMAN_ASSIGN(Expr * operand, ParseBody(depth + 1));
      call->operands.push_back(operand);
    }
    if (!Take(",") && !At(")")) DRAGOMAN_TRY(Expect(")"));
  }
  Next();
  return call;
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
    return Unsupported("'" + Escape(token.text) + "' is no constant").At(PlaceOf(token));
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

Result<Expr*> Parser::ParseAtom(int depth) {
  if (depth > kMaxTextDepth) return Fail("expressions nest too deep");
  const Token& token = Peek();
  switch (token.kind) {
    case TokenKind::kLocal:
      return ParseLocal();
    case TokenKind::kMeta:
      return ParseMetaValue();
    case TokenKind::kIdentifier:
      return ParseWord(depth);
    case TokenKind::kGlobal: {
      Expr* expr = Make(ExprKind::kGlobal, Next());
      expr->name = token.text;
      return expr;
    }
    case TokenKind::kNumber: {
      Expr* expr = Make(ExprKind::kConstant, Next());
      DRAGOMAN_ASSIGN(expr->constant, NumberOf(token));
      expr->is_literal = true;
      return expr;
    }
    default:
      break;
  }
  if (At("(")) return ParseParentheses(depth);
  if (At("-")) {  // of version 0.0.4
    Expr* call = Make(ExprKind::kCall, Next());
    call->name = "negative";
    DRAGOMAN_ASSIGN(Expr * operand, ParseCall(depth + 1));
    call->operands = {operand};
    return call;
  }
  const std::string found =
      token.kind == TokenKind::kEnd ? "the end of the text" : "'" + Escape(token.text) + "'";
  return Fail("an expression is expected, found " + found);
}

Result<Expr*> Parser::ParseWord(int depth) {
  const Token& token = Peek();
  if (token.text == "fn") {
    Next();
    return ParseFunction(token, depth + 1);
  }
  if (token.text == "if") return ParseIf(depth + 1);
  if (token.text == "match" || token.text == "match?") return ParseMatch(depth + 1);
  if (token.text.starts_with("ref") && At("(", 1)) return ParseReference(depth + 1);
  Next();
  if (token.text == "True" || token.text == "False") {
    Expr* expr = Make(ExprKind::kConstant, token);
    expr->constant = Tensor::Of<bool>({}, std::array<bool, 1>{token.text == "True"});
    return expr;
  }
  Expr* expr = Make(ExprKind::kName, token);
  expr->name = token.text;
  while (At(".") && Peek(1).kind == TokenKind::kIdentifier) {
    Next();
    expr->name += "." + std::string(Next().text);
  }
  return expr;
}

Result<Expr*> Parser::ParseParentheses(int depth) {
  const Token& start = Next();
  std::vector<Expr*> items;
  bool comma = false;
  while (!At(")")) {
    DRAGOMAN_ASSIGN(Expr * item, ParseBody(depth + 1));
    items.push_back(item);
    if (items.size() == 1 && At(":=")) {  // up to version 0.7
      const Token& sign = Next();
      DRAGOMAN_ASSIGN(Expr * value, ParseBody(depth + 1));
      DRAGOMAN_TRY(Expect(")"));
      return MakeReference("ref_write", sign, {item, value});
    }
    if (!Take(",")) break;
    comma = true;
  }
  DRAGOMAN_TRY(Expect(")"));
  if (items.size() == 1 && !comma) return items.front();
  Expr* tuple = Make(ExprKind::kTuple, start);
  tuple->operands = std::move(items);
  return tuple;
}

Result<Expr*> Parser::ParseIf(int depth) {
  Expr* expr = Make(ExprKind::kIf, Next());
  DRAGOMAN_TRY(Expect("("));
  DRAGOMAN_ASSIGN(Expr * condition, ParseBody(depth + 1));
  DRAGOMAN_TRY(Expect(")"));
  expr->operands = {condition};
  expr->blocks.resize(2);
  DRAGOMAN_TRY(Expect("{"));
  DRAGOMAN_ASSIGN(expr->blocks[0].root, ParseBody(depth + 1));
  DRAGOMAN_TRY(Expect("}"));
  DRAGOMAN_TRY(Expect("else"));
  DRAGOMAN_TRY(Expect("{"));
  DRAGOMAN_ASSIGN(expr->blocks[1].root, ParseBody(depth + 1));
  DRAGOMAN_TRY(Expect("}"));
  return expr;
}

Expr* Parser::MakeReference(std::string_view what, const Token& token,
                            std::vector<Expr*> operands) {
  Expr* expr = Make(ExprKind::kRef, token);
  expr->name = what;
  expr->operands = std::move(operands);
  return expr;
}

Result<Expr*> Parser::ParseReference(int depth) {
  Expr* expr = Make(ExprKind::kRef, Peek());
  expr->name = Next().text;
  if (expr->name != "ref" && expr->name != "ref_read" && expr->name != "ref_write")
    return Fail("operator " + expr->name + " is not known");
  DRAGOMAN_TRY(Expect("("));
  while (!At(")")) {
    DRAGOMAN_ASSIGN(Expr * operand, ParseBody(depth + 1));
    expr->operands.push_back(operand);
    if (!Take(",")) break;
  }
  const std::size_t count = expr->name == "ref_write" ? 2 : 1;
  if (expr->operands.size() != count) return Fail(expr->name + " has another number of operands");
  DRAGOMAN_TRY(Expect(")"));
  return expr;
}

Status Parser::ParseParameters(Expr* function, Block& block, int depth) {
  Attribute::Dict attributes;
  while (!At(")")) {
    if (AtAttribute()) {
      DRAGOMAN_ASSIGN(NamedAttribute attribute, ParseAttribute(depth));
      attributes.push_back(std::move(attribute));
    } else {
      const Token& name = Next();
      if (name.kind != TokenKind::kLocal) return Fail(name, "the name of a parameter is expected");
      Expr* parameter = Make(ExprKind::kParameter, name);
      parameter->name = name.text;
      if (Take("{")) {
        while (!At("}")) {
          DRAGOMAN_ASSIGN(NamedAttribute attribute, ParseAttribute(depth));
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

// Behind `fn` or the name of a `def`.
Result<Expr*> Parser::ParseFunction(const Token& start, int depth) {
  if (depth > kMaxTextDepth) return Fail("functions nest too deep");
  Expr* function = Make(ExprKind::kFunction, start);
  function->blocks.resize(1);
  Block& block = function->blocks[0];
  if (Take("[")) {
    Attribute::Strings names;
    while (!At("]") && Peek().kind == TokenKind::kIdentifier) {
      names.emplace_back(Next().text);
      if (!Take(",")) break;
    }
    DRAGOMAN_TRY(Expect("]"));
    function->attributes.emplace_back("type_params", std::move(names));
  }
  DRAGOMAN_TRY(Expect("("));
  DRAGOMAN_TRY(ParseParameters(function, block, depth));
  if (Take("->")) {
    DRAGOMAN_ASSIGN(const TypeText type, ParseType(0));
    function->attributes.emplace_back(
        "ret_type", type.text.empty() ? Attribute(type.type) : Attribute(type.text));
  }
  DRAGOMAN_TRY(Expect("{"));
  const std::size_t mark = bound_.size();
  for (Expr* parameter : block.parameters) Bind(parameter->name, parameter);
  DRAGOMAN_ASSIGN(block.root, ParseBody(depth + 1));
  UnbindTo(mark);
  DRAGOMAN_TRY(Expect("}"));
  return function;
}

}  // namespace dragoman::relay

// SPDX-License-Identifier: Apache-2.0
// Matches of Relay text. A pattern is an attribute: none is anything, a text the name of a variable
// (which is the next parameter of the arm), a list a tuple, {constructor, fields} a constructor.
#include <utility>

#include "core/support/text.h"
#include "importers/relay/text/parse_state.h"
#include "importers/relay/text/parser.h"

namespace dragoman::relay {
namespace {

constexpr int kMaxPatternDepth = 32;

}  // namespace

Result<Attribute> Parser::ParsePatterns(Block& block, int depth) {
  DRAGOMAN_TRY(Expect("("));
  Attribute::List items;
  while (!At(")")) {
    DRAGOMAN_ASSIGN(Attribute item, ParsePattern(block, depth + 1));
    items.push_back(std::move(item));
    if (!Take(",")) break;
  }
  DRAGOMAN_TRY(Expect(")"));
  return Attribute(std::move(items));
}

Result<Attribute> Parser::ParsePattern(Block& block, int depth) {
  if (depth > kMaxPatternDepth) return Fail("patterns nest too deep");
  if (At("(")) return ParsePatterns(block, depth);
  const Token& token = Next();
  if (token.text == "_") return Attribute();
  if (token.kind == TokenKind::kLocal) {
    Expr* variable = Make(ExprKind::kParameter, token);
    variable->name = token.text;
    if (Take(":")) {
      DRAGOMAN_ASSIGN(const TypeText type, ParseType(0));
      variable->type = type.type;
      variable->type_text = type.text;
    }
    block.parameters.push_back(variable);
    return Attribute(variable->name);
  }
  if (token.kind != TokenKind::kIdentifier)
    return Fail(token, "a pattern is expected, found '" + Escape(token.text) + "'");
  Attribute fields = Attribute::List();
  if (At("(")) {
    DRAGOMAN_ASSIGN(fields, ParsePatterns(block, depth));
  }
  Attribute::Dict pattern;
  pattern.emplace_back("constructor", std::string(token.text));
  pattern.emplace_back("fields", std::move(fields));
  return Attribute(std::move(pattern));
}

Deep<Result<Expr*>> Parser::ParseMatch(int depth) {
  if (depth > kMaxTextDepth) co_return Fail("matches nest too deep");
  Expr* expr = Make(ExprKind::kMatch, Peek());
  expr->attributes.emplace_back("complete", Next().text == "match");
  DRAGOMAN_CO_ASSIGN(Expr * data, co_await ParseAtom(depth + 1));
  Annotate(data);
  expr->operands = {data};
  DRAGOMAN_CO_TRY(Expect("{"));
  while (!At("}")) {
    Block& arm = expr->blocks.emplace_back();
    DRAGOMAN_CO_ASSIGN(Attribute pattern, ParsePattern(arm, 0));
    expr->patterns.push_back(std::move(pattern));
    DRAGOMAN_CO_TRY(Expect("=>"));
    const std::size_t mark = bound_.size();
    for (Expr* variable : arm.parameters) Bind(variable->name, variable);
    // In braces or not: both are a body.
    DRAGOMAN_CO_ASSIGN(Expr * root, co_await ParseBody(depth + 1));
    expr->blocks.back().root = root;
    UnbindTo(mark);
    if (!Take(",") && !At("}")) DRAGOMAN_CO_TRY(Expect(","));
  }
  Next();
  co_return expr;
}

}  // namespace dragoman::relay

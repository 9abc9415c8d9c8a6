// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/text/parser.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/support/text.h"
#include "importers/relay/text/parse_state.h"

namespace dragoman::relay {

Parser::Parser(Tokens tokens, tvm::Metadata metadata, std::string_view source)
    : tokens_(std::move(tokens)),
      metadata_(std::move(metadata)),
      source_(source),
      module_(std::make_unique<Module>()) {}

const Token& Parser::Peek(std::size_t ahead) const {
  return tokens_.tokens[std::min(at_ + ahead, tokens_.tokens.size() - 1)];
}

const Token& Parser::Next() {
  const Token& token = Peek();
  if (at_ + 1 < tokens_.tokens.size()) ++at_;
  return token;
}

bool Parser::At(std::string_view text, std::size_t ahead) const {
  const Token& token = Peek(ahead);
  return token.text == text &&
         (token.kind == TokenKind::kPunct || token.kind == TokenKind::kIdentifier);
}

bool Parser::Take(std::string_view text) {
  if (!At(text)) return false;
  Next();
  return true;
}

Status Parser::Expect(std::string_view text) {
  if (Take(text)) return {};
  const Token& token = Peek();
  const std::string found =
      token.kind == TokenKind::kEnd ? "the end of the text" : "'" + Escape(token.text) + "'";
  return Fail("expected '" + std::string(text) + "', found " + found);
}

Error Parser::Fail(const Token& token, std::string message) {
  return InvalidInput(std::move(message)).At(PlaceOf(token));
}

Expr* Parser::Make(ExprKind kind, const Token& token) {
  Expr& expr = module_->arena.emplace_back();
  expr.kind = kind;
  expr.place = {token.line, token.column};
  return &expr;
}

void Parser::Bind(const std::string& name, Expr* expr) {
  scope_[name].push_back(expr);
  bound_.push_back(name);
}

void Parser::UnbindTo(std::size_t mark) {
  while (bound_.size() > mark) {
    const auto found = scope_.find(bound_.back());
    found->second.pop_back();
    if (found->second.empty()) scope_.erase(found);
    bound_.pop_back();
  }
}

Expr* Parser::Find(const std::string& name) const {
  const auto found = scope_.find(name);
  return found != scope_.end() ? found->second.back() : nullptr;
}

std::string Parser::SourceBetween(const Token& first, const Token& end) const {
  const auto* begin = first.text.data();
  const auto* stop = end.comment.empty() ? end.text.data() : end.comment.data();
  std::string_view text(begin, static_cast<std::size_t>(stop - begin));
  std::string result;
  for (char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) result += c;
    if (blank && !result.empty() && result.back() != ' ') result += ' ';
  }
  while (!result.empty() && (result.back() == ' ' || result.back() == '%' || result.back() == '@'))
    result.pop_back();
  return result;
}

Status Parser::ParseTypeDefinition() {
  const Token& start = Peek();
  Take("extern");
  DRAGOMAN_TRY(Expect("type"));
  if (Next().kind != TokenKind::kIdentifier) return Fail(start, "the type has no name");
  if (Take("[")) {
    while (!At("]") && Peek().kind == TokenKind::kIdentifier) {
      Next();
      if (!Take(",")) break;
    }
    DRAGOMAN_TRY(Expect("]"));
  }
  if (Take("{")) {
    while (!At("}")) {
      if (Peek().kind != TokenKind::kIdentifier)
        return Fail("the name of a constructor is expected");
      const std::string name(Next().text);
      int fields = 0;
      if (Take("(")) {
        for (; !At(")"); ++fields) {
          DRAGOMAN_TRY(ParseType(0));
          if (!Take(",") && !At(")")) return Fail("expected ',' or ')'");
        }
        DRAGOMAN_TRY(Expect(")"));
      }
      module_->constructors.emplace_back(name, fields);
      if (!Take(",")) break;
    }
    DRAGOMAN_TRY(Expect("}"));
  }
  module_->types.push_back(SourceBetween(start, Peek()));
  return {};
}

Status Parser::ParseDefinition() {
  DRAGOMAN_TRY(Expect("def"));
  const Token& name = Next();
  if (name.kind != TokenKind::kGlobal) return Fail(name, "the name of a function is expected");
  graph_variables_.clear();
  constants_.clear();
  if (At("=")) {
    return Unsupported("function @" + std::string(name.text) +
                       " has no text of Relay, but what a compiler made of it")
        .At(PlaceOf(name));
  }
  FunctionDef definition;
  definition.name = name.text;
  definition.place = {name.line, name.column};
  DRAGOMAN_ASSIGN(definition.function, ParseFunction(name, 0).Run());
  module_->functions.push_back(std::move(definition));
  return {};
}

Status Parser::ParseLooseExpression() {
  const Token& start = Peek();
  DRAGOMAN_ASSIGN(Expr * root, ParseBody(0).Run());
  if (root->kind != ExprKind::kFunction || !free_variables_.empty()) {
    Expr* function = Make(ExprKind::kFunction, start);
    function->blocks.resize(1);
    function->blocks[0].parameters = free_variables_;
    function->blocks[0].root = root;
    root = function;
  }
  module_->functions.push_back({"main", root, {start.line, start.column}});
  return {};
}

Result<std::unique_ptr<Module>> Parser::Run() {
  module_->version = tokens_.version;
  std::set<std::string, std::less<>> names;
  bool loose = false;
  while (Peek().kind != TokenKind::kEnd) {
    const Token& start = Peek();
    if (At("def")) {
      DRAGOMAN_TRY(ParseDefinition());
    } else if ((At("type") || At("extern")) && Peek(1).kind == TokenKind::kIdentifier) {
      DRAGOMAN_TRY(ParseTypeDefinition());
      continue;
    } else if (!loose && module_->functions.empty()) {
      loose = true;
      DRAGOMAN_TRY(ParseLooseExpression());
    } else {
      return Fail("expected 'def' or 'type', found '" + Escape(start.text) + "'");
    }
    if (!names.insert(module_->functions.back().name).second)
      return Fail(start, "there are two functions @" + module_->functions.back().name);
  }
  if (module_->functions.empty()) return Fail("the text has no function");
  return std::move(module_);
}

Result<std::unique_ptr<Module>> ParseModule(std::string_view text) {
  DRAGOMAN_ASSIGN(Tokens tokens, Tokenize(text));
  Result<tvm::Metadata> metadata = tvm::Metadata::Parse(tokens.metadata);
  if (!metadata.ok()) {
    Finding finding = metadata.error().findings().front();
    finding.place = PlaceOf(tokens.tokens.back());  // where the section begins
    return Error(std::move(finding));
  }
  return Parser(std::move(tokens), *std::move(metadata), text).Run();
}

}  // namespace dragoman::relay

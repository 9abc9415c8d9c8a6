// SPDX-License-Identifier: Apache-2.0
#include "core/support/python/stmt_parser.h"

#include <memory>
#include <utility>

namespace dragoman::python {

// After an error in the head of a statement: its line and its block are skipped.
void StmtParser::Recover() {
  SkipLine();
  Advance();
  SkipBlock();
}

void StmtParser::SkipBlock() {
  if (!AtKind(Token::Kind::kIndent)) return;
  int depth = 0;
  do {
    if (AtKind(Token::Kind::kIndent)) ++depth;
    if (AtKind(Token::Kind::kDedent)) --depth;
    Advance();
  } while (depth > 0 && !AtEnd());
}

void StmtParser::EndStatement() {
  if (!failed() && !AtKind(Token::Kind::kNewline) && !AtEnd()) {
    Fail("the end of the line is expected");
  }
  AcceptKind(Token::Kind::kNewline);
}

FunctionDef StmtParser::ParseFunction() {
  FunctionDef result;
  result.offset = Peek().offset;
  result.name = ExpectName();
  if (decorates_ && Accept("[")) {
    while (!At("]") && !failed()) {
      result.type_parameters.push_back(ParseParameter());
      if (!Accept(",")) break;
    }
    Expect("]");
  }
  Expect("(");
  while (!At(")") && !failed()) {
    result.parameters.push_back(ParseParameter());
    if (!Accept(",")) break;
  }
  Expect(")");
  if (Accept("->")) result.result = ParseLowExpr();
  result.body = ParseStatements();
  return result;
}

Parameter StmtParser::ParseParameter() {
  Parameter parameter;
  parameter.offset = Peek().offset;
  parameter.name = ExpectName();
  if (Accept(":")) parameter.type = ParseLowExpr();
  if (Accept("=")) parameter.default_value = ParseLowExpr();
  return parameter;
}

std::vector<Stmt> StmtParser::ParseStatements() {
  std::vector<Stmt> statements;
  ParseBlock([&] {
    Stmt statement = ParseStatement();
    statements.push_back(std::move(statement));
  });
  return statements;
}

Stmt StmtParser::ParseStatement() {
  Stmt stmt;
  stmt.offset = Peek().offset;
  if (Accept("if")) {
    ParseIf(stmt);
  } else if (Accept("while")) {
    stmt.kind = Stmt::Kind::kWhile;
    stmt.value = ParseExpr();
    stmt.body = ParseStatements();
  } else if (Accept("for")) {
    ParseFor(stmt);
  } else if (Accept("with")) {
    ParseWith(stmt);
  } else if (Accept("def")) {
    stmt.kind = Stmt::Kind::kDef;
    stmt.function = std::make_shared<const FunctionDef>(ParseFunction());
  } else if (decorates_ && At("@")) {
    stmt.kind = Stmt::Kind::kDef;
    std::vector<Expr> decorators = ParseDecorators();
    Expect("def");
    FunctionDef function = ParseFunction();
    function.decorators = std::move(decorators);
    stmt.function = std::make_shared<const FunctionDef>(std::move(function));
  } else {
    ParseSimple(stmt);
    EndStatement();
  }
  return stmt;
}

void StmtParser::ParseIf(Stmt& stmt) {
  stmt.kind = Stmt::Kind::kIf;
  stmt.value = ParseExpr();
  stmt.body = ParseStatements();
  if (At("elif")) {
    const Nested nested(*this);
    if (!nested.ok()) return Recover();
    Stmt inner;
    inner.offset = Peek().offset;
    Accept("elif");
    ParseIf(inner);
    stmt.other.push_back(std::move(inner));
  } else if (Accept("else")) {
    stmt.other = ParseStatements();
  }
}

void StmtParser::ParseFor(Stmt& stmt) {
  stmt.kind = Stmt::Kind::kFor;
  do {
    Expr target = ParseTarget();
    stmt.targets.push_back(std::move(target));
  } while (Accept(","));
  Expect("in");
  stmt.value = ParseExprList();
  stmt.body = ParseStatements();
}

Expr StmtParser::ParseTarget() {
  Expr target;
  target.offset = Peek().offset;
  target.kind = Expr::Kind::kName;
  target.text = ExpectName();
  return target;
}

void StmtParser::ParseWith(Stmt& stmt) {
  stmt.kind = Stmt::Kind::kWith;
  stmt.value = ParseExpr();
  if (Accept("as")) stmt.targets.push_back(ParseTarget());
  stmt.body = ParseStatements();
}

void StmtParser::ParseSimple(Stmt& stmt) {
  if (Accept("pass")) {
    stmt.kind = Stmt::Kind::kPass;
  } else if (Accept("return")) {
    stmt.kind = Stmt::Kind::kReturn;
    if (!AtKind(Token::Kind::kNewline)) stmt.value = ParseExprList();
  } else if (Accept("raise")) {
    stmt.kind = Stmt::Kind::kRaise;
    if (!AtKind(Token::Kind::kNewline)) stmt.value = ParseExpr();
  } else if (Accept("assert")) {
    stmt.kind = Stmt::Kind::kAssert;
    stmt.value = ParseExpr();
    if (Accept(",")) stmt.message = ParseExpr();
  } else {
    ParseAssignment(stmt);
  }
}

void StmtParser::ParseAssignment(Stmt& stmt) {
  stmt.kind = Stmt::Kind::kExpr;
  bool comma = false;
  Expr first = ParseExprList(&comma);
  const Token& token = Peek();
  const std::string_view op = Text(token);
  if (token.kind == Token::Kind::kOperator && op.size() >= 2 && op.ends_with('=') &&
      op.find_first_of("=!<>") == op.size() - 1) {
    stmt.augmented = op.substr(0, op.size() - 1);
    Advance();
  } else if (At(":")) {
    Accept(":");
    stmt.type = ParseLowExpr();
    Expect("=");
  } else if (!Accept("=")) {
    stmt.value = std::move(first);
    return;
  }
  stmt.kind = Stmt::Kind::kAssign;
  stmt.unpacks = first.kind == Expr::Kind::kTuple;
  if (stmt.unpacks) {
    stmt.targets = std::move(first.parts);
  } else {
    stmt.targets.push_back(std::move(first));
  }
  stmt.value = ParseExprList();
}

std::vector<Expr> StmtParser::ParseDecorators() {
  std::vector<Expr> decorators;
  while (Accept("@") && !failed()) {
    decorators.push_back(ParseLowExpr());
    EndStatement();
  }
  return decorators;
}

}  // namespace dragoman::python

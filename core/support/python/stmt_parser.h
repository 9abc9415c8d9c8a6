// SPDX-License-Identifier: Apache-2.0
// The statement half of the parser: functions and their bodies.
#ifndef DRAGOMAN_CORE_SUPPORT_PYTHON_STMT_PARSER_H_
#define DRAGOMAN_CORE_SUPPORT_PYTHON_STMT_PARSER_H_

#include <vector>

#include "core/support/python/expr_parser.h"
#include "core/support/python/syntax.h"

namespace dragoman::python {

class StmtParser : public ExprParser {
 public:
  using ExprParser::ExprParser;

 protected:
  // Calls `parse` for each statement of the indented block at the cursor.
  template <class F>
  void ParseBlock(const F& parse) {
    const Nested nested(*this);
    if (!nested.ok()) return Recover();
    Expect(":");
    if (failed()) return Recover();
    if (!AcceptKind(Token::Kind::kNewline)) {
      Fail("the end of the line is expected after ':'");
      return Recover();
    }
    if (!AcceptKind(Token::Kind::kIndent)) {
      Fail("an indented block is expected");
      return;
    }
    while (!AtKind(Token::Kind::kDedent) && !AtEnd()) {
      StartStatement();
      if (AcceptKind(Token::Kind::kNewline)) continue;
      parse();
    }
    AcceptKind(Token::Kind::kDedent);
  }

  // After an error in the head of a statement: its line and its block are skipped.
  void Recover();
  void SkipBlock();
  void EndStatement();

  // After "def".
  FunctionDef ParseFunction();
  std::vector<Stmt> ParseStatements();
  // "@f", "@f(x)", each on a line of its own; none if the cursor is not at an "@".
  std::vector<Expr> ParseDecorators();

  // Whether functions may have decorators and type parameters.
  bool decorates_ = false;

 private:
  Parameter ParseParameter();
  Stmt ParseStatement();
  void ParseIf(Stmt& stmt);
  void ParseFor(Stmt& stmt);
  Expr ParseTarget();
  void ParseWith(Stmt& stmt);
  void ParseSimple(Stmt& stmt);
  void ParseAssignment(Stmt& stmt);
};

}  // namespace dragoman::python

#endif  // DRAGOMAN_CORE_SUPPORT_PYTHON_STMT_PARSER_H_

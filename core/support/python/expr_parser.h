// The expression half of the parser, and what both halves share: the cursor over tokens, findings.
#ifndef DRAGOMAN_CORE_SUPPORT_PYTHON_EXPR_PARSER_H_
#define DRAGOMAN_CORE_SUPPORT_PYTHON_EXPR_PARSER_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/support/python/lexer.h"
#include "core/support/python/syntax.h"
#include "core/support/result.h"

namespace dragoman::python {

// After an error the cursor jumps to the end of the logical line and further errors on it are not
// told: every function ends there of itself.
class ExprParser {
 public:
  // Of a text of more than `most` bytes it reads nothing; dense ones have an end in proportion.
  ExprParser(std::string_view file, std::string_view text, std::size_t most = kMaxSourceBytes);

  // expr = [conditional] of operators by precedence; no tuple without brackets.
  Expr ParseExpr();
  // expr {, expr}: a tuple if there is a comma. `comma` tells whether the last one is followed by
  // one.
  Expr ParseExprList(bool* comma = nullptr);

  const std::vector<Finding>& findings() const { return findings_; }
  bool AtEnd() const { return Peek().kind == Token::Kind::kEnd; }

 protected:
  // One more level of nesting as long as it lives; too deep: an error.
  class Nested {
   public:
    explicit Nested(ExprParser& parser);
    ~Nested() { --parser_.depth_; }
    bool ok() const { return ok_; }

   private:
    ExprParser& parser_;
    bool ok_;
  };

  const Token& Peek(std::size_t ahead = 0) const;
  std::string_view Text(const Token& token) const {
    return text_.substr(token.offset, token.length);
  }
  bool At(std::string_view name_or_operator) const;
  bool AtKind(Token::Kind kind) const { return Peek().kind == kind; }
  bool Accept(std::string_view name_or_operator);
  bool AcceptKind(Token::Kind kind);
  void Expect(std::string_view name_or_operator);
  std::string ExpectName();
  void Advance();
  void Fail(std::string message);
  void SkipLine();
  // Statement by statement: errors are reported again.
  void StartStatement() { failed_ = false; }
  bool failed() const { return failed_; }

 private:
  Expr Make(Expr::Kind kind, std::vector<Expr> parts = {});
  Expr ParseBinary(int lowest);
  Expr ParseUnary();
  Expr ParsePostfix();
  Expr ParseAtom();
  Expr ParseNumber();
  Expr ParseNameAtom();
  Expr ParseBracketed(Expr::Kind kind, std::string_view close);
  Expr ParseDict();
  Expr ParseCall(Expr callee);
  Expr ParseIndex();
  Expr ParseSlicePart();
  // The binary operator at the cursor and its precedence; 0: there is none. "not in" and "is not"
  // are two tokens.
  struct Operator {
    std::string text;
    int precedence = 0;
    int tokens = 1;
  };
  Operator PeekOperator() const;

  std::string_view file_;
  std::string_view text_;
  std::vector<Finding> findings_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t exprs_ = 0;
  std::size_t most_exprs_;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace dragoman::python

#endif  // DRAGOMAN_CORE_SUPPORT_PYTHON_EXPR_PARSER_H_

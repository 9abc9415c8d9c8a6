// SPDX-License-Identifier: Apache-2.0
// The expression half of the parser.
#ifndef DRAGOMAN_CORE_SUPPORT_PYTHON_EXPR_PARSER_H_
#define DRAGOMAN_CORE_SUPPORT_PYTHON_EXPR_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/python/syntax.h"
#include "core/support/python/token_cursor.h"

namespace dragoman::python {

class ExprParser : public TokenCursor {
 public:
  ExprParser(std::string_view file, std::string_view text, const SourceLimits& limits = {});

  // Conditionals and operators by precedence; no tuple without brackets. What has begun lies on a
  // stack of its own, so that only `limits` bounds how deep brackets and signs nest.
  Expr ParseExpr();
  // One that walks may recurse over: of kMaxSourceHeight at most.
  Expr ParseLowExpr();
  // expr {, expr}: a tuple if there is a comma. `comma` says whether the last one is followed by
  // one.
  Expr ParseExprList(bool* comma = nullptr);

 protected:
  // A block: one more level of nesting as long as it lives; too deep: an error.
  class Nested {
   public:
    explicit Nested(ExprParser& parser);
    ~Nested() { --parser_.blocks_; }
    bool ok() const { return ok_; }

   private:
    ExprParser& parser_;
    bool ok_;
  };

 private:
  // What has begun, with the parts that were read, and what it waits for.
  struct Open {
    enum class Wait : std::uint8_t {
      kOperand,    // of a sign
      kCondition,  // after "if"
      kOtherwise,  // after "else"
      kItem,       // of a tuple, a list or a dict
      kArgument,
      kIndex,  // of a subscript: the parts are the base and the items
      kBound,  // of a slice
    };
    Wait wait = Wait::kItem;
    bool comma = false;  // after the last item
    int least = 0;       // the operand of a sign takes operators that bind as strongly, or stronger
    Expr expr;
  };
  // What the cursor is at: the begin of an operand, or what follows `value`.
  enum class Next : std::uint8_t { kOperand, kValue, kEnd };

  Next BeginOperand(Expr& value);
  Next Continue(Expr& value);
  bool ContinuePostfix(Expr& value, Next& next);
  Next ContinueSigns(Expr& value);
  Next ContinueOpen(Expr& value);
  void CloseSigns(int precedence, Expr& value);
  Next Begin(Open::Wait wait, Expr expr, int least = 0);
  Next BeginItem(Expr& value);
  Next BeginBound(Expr& value);
  Next EndItem(Expr& value);
  Next CloseBracket(Expr& value);
  Expr Pop();

  Expr Start(Expr::Kind kind) const;
  // With its height, from its parts.
  Expr Made(Expr expr);
  Expr ParseString();
  Expr ParseName();
  Expr ParseNumber();
  // The binary operator at the cursor and its precedence; 0: there is none. "not in" and "is not"
  // are two tokens.
  struct Operator {
    std::string_view text;
    int precedence = 0;
    int tokens = 1;
  };
  Operator PeekOperator() const;

  SourceLimits limits_;
  std::vector<Open> open_;
  std::size_t exprs_ = 0;
  std::size_t most_exprs_;
  std::size_t blocks_ = 0;
};

}  // namespace dragoman::python

#endif  // DRAGOMAN_CORE_SUPPORT_PYTHON_EXPR_PARSER_H_

// SPDX-License-Identifier: Apache-2.0
// Computes the symbolic constants of core/analysis/const_expr.h.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_EVALUATE_CONST_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_EVALUATE_CONST_H_

#include <unordered_map>

#include "core/analysis/const_expr.h"
#include "core/ir/tensor.h"
#include "core/support/result.h"

namespace dragoman {

// Each expression is computed once, numbers without an element type in `dtype`.
class ConstEvaluator {
 public:
  ConstEvaluator(const ConstExprs& exprs, DType dtype) : exprs_(&exprs), dtype_(dtype) {}

  // `id` is not kNoConst. Errors: an operator refuses its operands.
  Result<Tensor> Evaluate(ConstId id);

 private:
  Result<Tensor> Compute(const ConstExpr& expr);

  const ConstExprs* exprs_;
  DType dtype_;
  std::unordered_map<ConstId, Tensor> computed_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_EVALUATE_CONST_H_

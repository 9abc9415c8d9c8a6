// SPDX-License-Identifier: Apache-2.0
// What expansions (op_def.h) of reductions and normalisations along axes share.
#ifndef DRAGOMAN_CORE_OPS_AXES_FORMULA_H_
#define DRAGOMAN_CORE_OPS_AXES_FORMULA_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/ops/expansion_formula.h"

namespace dragoman {

// Operand 0 of `node` as the formula computes with it from here on: halves in float32. Errors: an
// operand of unknown rank.
Result<Value*> WideOperand(ExpansionFormula& formula, const Node& node);

struct AxesFormula {
  ExpansionFormula formula;
  Value* x;  // as WideOperand gives it
  Value* axes;
  Type reduced_type;  // of x, with axes of size 1

  Value* OfReduced(std::string_view op, const std::vector<Value*>& operands) {
    return formula.Add(op, operands, reduced_type);
  }
  // `op` along the axes, which stay.
  Value* Reduce(std::string_view op, Value* value) { return OfReduced(op, {value, axes}); }
  Value* Mean(Value* value) { return Reduce("ReduceMean", value); }
  Value* MeanSquare(Value* value) { return Mean(formula.Add("Mul", {value, value})); }
  Result<Value*> RootOfMeanSquare(Value* value, double epsilon);
};

// Errors: as of WideOperand.
Result<AxesFormula> FormulaAlong(Node& node, std::vector<std::int64_t> axes);
// Along the axes from `axis` on.
Result<AxesFormula> FormulaFrom(Node& node, std::int64_t axis);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_AXES_FORMULA_H_

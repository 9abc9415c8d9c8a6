// SPDX-License-Identifier: Apache-2.0
// Parts of the expansions (op_def.h) of activations. Those of float64 keep its digits.
#ifndef DRAGOMAN_CORE_OPS_ACTIVATION_FORMULA_H_
#define DRAGOMAN_CORE_OPS_ACTIVATION_FORMULA_H_

#include <string_view>

#include "core/ops/expansion_formula.h"

namespace dragoman {

// `op`, Mul or Div, of `value` and a number; `value` itself where that is 1.
Result<Value*> Scaled(ExpansionFormula& formula, std::string_view op, Value* value, double number);
// min(x, 0)
Result<Value*> BelowZero(ExpansionFormula& formula);
// slope · x where x < 0, else x.
Result<Value*> WithSlopeBelowZero(ExpansionFormula& formula, Value* slope);
// max(0, min(1, value))
Result<Value*> WithinUnit(ExpansionFormula& formula, Value* value);
// exp(value) − 1, which loses digits near 0.
Result<Value*> PlainExpLessOne(ExpansionFormula& formula, Value* value);
// exp(value) − 1 of what is 0 or less.
Result<Value*> ExpLessOne(ExpansionFormula& formula, Value* value);
// log(1 + value)
Result<Value*> LogOfOneAnd(ExpansionFormula& formula, Value* value);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_ACTIVATION_FORMULA_H_

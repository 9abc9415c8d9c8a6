// SPDX-License-Identifier: Apache-2.0
#include "core/ops/activation_formula.h"

namespace dragoman {

Result<Value*> Scaled(ExpansionFormula& formula, std::string_view op, Value* value, double number) {
  if (number == 1) return value;
  DRAGOMAN_ASSIGN(Value * factor, formula.Number(number));
  return formula.Add(op, {value, factor});
}

Result<Value*> BelowZero(ExpansionFormula& formula) {
  DRAGOMAN_ASSIGN(Value * zero, formula.Number(0));
  return formula.Add("Min", {formula.x(), zero});
}

Result<Value*> WithSlopeBelowZero(ExpansionFormula& formula, Value* slope) {
  DRAGOMAN_ASSIGN(Value * zero, formula.Number(0));
  const Type truth = formula.type().WithDType(DType::kBool);
  Value* is_below = formula.Add("Less", {formula.x(), zero}, truth);
  Value* scaled = formula.Add("Mul", {formula.x(), slope});
  return formula.Add("Where", {is_below, scaled, formula.x()});
}

Result<Value*> WithinUnit(ExpansionFormula& formula, Value* value) {
  DRAGOMAN_ASSIGN(Value * zero, formula.Number(0));
  DRAGOMAN_ASSIGN(Value * one, formula.Number(1));
  return formula.Add("Clip", {value, zero, one});
}

Result<Value*> PlainExpLessOne(ExpansionFormula& formula, Value* value) {
  DRAGOMAN_ASSIGN(Value * one, formula.Number(1));
  return formula.Add("Sub", {formula.Add("Exp", {value}), one});
}

// With t = tanh(value / 2), it is 2 t / (1 − t), which keeps its digits near 0.
Result<Value*> ExpLessOne(ExpansionFormula& formula, Value* value) {
  if (formula.type().dtype() != DType::kF64) return PlainExpLessOne(formula, value);
  DRAGOMAN_ASSIGN(Value * one, formula.Number(1));
  DRAGOMAN_ASSIGN(Value * half, formula.Number(0.5));
  Value* t = formula.Add("Tanh", {formula.Add("Mul", {value, half})});
  return formula.Add("Div", {formula.Add("Add", {t, t}), formula.Add("Sub", {one, t})});
}

// What 1 + u loses of u, (1 + u) − 1 − u, counts as such a part of 1 + u; below −1/2 it loses
// nothing, above 1 nothing that counts.
Result<Value*> LogOfOneAnd(ExpansionFormula& formula, Value* value) {
  DRAGOMAN_ASSIGN(Value * one, formula.Number(1));
  Value* log = formula.Add("Log", {formula.Add("Add", {value, one})});
  if (formula.type().dtype() != DType::kF64) return log;
  DRAGOMAN_ASSIGN(Value * lowest, formula.Number(-0.5));
  Value* near = formula.Add("Clip", {value, lowest, one});
  Value* sum = formula.Add("Add", {near, one});
  Value* lost = formula.Add("Sub", {formula.Add("Sub", {sum, one}), near});
  return formula.Add("Sub", {log, formula.Add("Div", {lost, sum})});
}

}  // namespace dragoman

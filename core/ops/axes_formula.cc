// SPDX-License-Identifier: Apache-2.0
#include "core/ops/axes_formula.h"

#include <cstddef>
#include <iterator>
#include <utility>

#include "core/ir/wide_float.h"

namespace dragoman {

Result<Value*> WideOperand(ExpansionFormula& formula, const Node& node) {
  const Type type = formula.type();
  if (!type.rank()) return Unsupported("the rank of its operand is unknown").At(node.Describe());
  formula.set_type(type.WithDType(WideFloat(type.dtype())));
  return formula.Cast(formula.x(), formula.type());
}

Result<Value*> AxesFormula::RootOfMeanSquare(Value* value, double epsilon) {
  DRAGOMAN_ASSIGN(Value * number, formula.Number(epsilon));
  return OfReduced("Sqrt", {OfReduced("Add", {MeanSquare(value), number})});
}

Result<AxesFormula> FormulaAlong(Node& node, std::vector<std::int64_t> axes) {
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * x, WideOperand(formula, node));
  Shape reduced = *formula.type().shape();
  for (std::int64_t& axis : axes) {
    if (axis < 0) axis += std::ssize(reduced);
    reduced[static_cast<std::size_t>(axis)] = Dim(1);
  }
  Value* listed = formula.Ints(axes);
  const Type reduced_type = formula.type().WithShape(std::move(reduced));
  return AxesFormula{std::move(formula), x, listed, reduced_type};
}

Result<AxesFormula> FormulaFrom(Node& node, std::int64_t axis) {
  const std::int64_t rank = node.operand(0)->type().rank().value_or(0);
  std::vector<std::int64_t> axes;
  for (std::int64_t i = axis < 0 ? axis + rank : axis; i < rank; ++i) axes.push_back(i);
  return FormulaAlong(node, std::move(axes));
}

}  // namespace dragoman

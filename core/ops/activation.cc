// SPDX-License-Identifier: Apache-2.0
// Activation functions with attributes.
#include "runtime/params/activation.h"

#include <cmath>
#include <numbers>

#include "core/ops/expansion_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

template <class P>
OpBuilder Activation(std::string_view type) {
  return Op(type, "(X: T) -> (Y: T)", "T: float")
      .Attributes<P>()
      .Infer(SameTypeAsFirst)
      .Class(OpClass::kUnary)
      .Kernel({.header = "runtime/kernels/activation.h", .types = "T"});
}

using Values = std::vector<Value*>;

// (1 + tail) · x / 2
Result<Values> HalfOfOneAnd(ExpansionFormula& formula, Value* tail) {
  DRAGOMAN_ASSIGN(Value * one, formula.Number(1));
  DRAGOMAN_ASSIGN(Value * half, formula.Number(0.5));
  Value* gate = formula.Add("Mul", {formula.Add("Add", {tail, one}), half});
  return Values{formula.Add("Mul", {formula.x(), gate})};
}

Result<Values> ExpandCelu(Node& node) {
  DRAGOMAN_ASSIGN(const Params params, FillParams<rt::CeluParams>(node));
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * alpha, formula.Number(params.As<rt::CeluParams>().alpha));
  Value* curve = formula.Add("Elu", {formula.Add("Div", {formula.x(), alpha})});
  return Values{formula.Add("Mul", {curve, alpha})};
}

Result<Values> ExpandGelu(Node& node) {
  DRAGOMAN_ASSIGN(const Params params, FillParams<rt::GeluParams>(node));
  ExpansionFormula formula(node);
  Value* x = formula.x();
  if (params.As<rt::GeluParams>().approximate == rt::GeluApproximation::kNone) {
    DRAGOMAN_ASSIGN(Value * root, formula.Number(std::numbers::sqrt2));
    return HalfOfOneAnd(formula, formula.Add("Erf", {formula.Add("Div", {x, root})}));
  }
  DRAGOMAN_ASSIGN(Value * cubic, formula.Number(0.044715));
  DRAGOMAN_ASSIGN(Value * scale, formula.Number(std::sqrt(2 / std::numbers::pi)));
  Value* cube = formula.Add("Mul", {formula.Add("Mul", {x, x}), x});
  Value* sum = formula.Add("Add", {x, formula.Add("Mul", {cube, cubic})});
  return HalfOfOneAnd(formula, formula.Add("Tanh", {formula.Add("Mul", {sum, scale})}));
}

Result<Values> ExpandSwish(Node& node) {
  DRAGOMAN_ASSIGN(const Params params, FillParams<rt::SwishParams>(node));
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * alpha, formula.Number(params.As<rt::SwishParams>().alpha));
  Value* gate = formula.Add("Sigmoid", {formula.Add("Mul", {formula.x(), alpha})});
  return Values{formula.Add("Mul", {formula.x(), gate})};
}

}  // namespace

std::vector<OpDef> ActivationOps() {
  return {
      Activation<rt::CeluParams>("Celu").Expand(ExpandCelu),
      Activation<rt::EluParams>("Elu"),
      Activation<rt::GeluParams>("Gelu").Expand(ExpandGelu),
      Activation<rt::HardSigmoidParams>("HardSigmoid"),
      Activation<rt::LeakyReluParams>("LeakyRelu"),
      Activation<rt::SeluParams>("Selu"),
      Op("Shrink", "(input: T) -> (output: T)", "T: number")
          .Attributes<rt::ShrinkParams>()
          .Infer(SameTypeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/activation.h", .types = "T"}),
      Activation<rt::SwishParams>("Swish").Expand(ExpandSwish),
      Activation<rt::ThresholdedReluParams>("ThresholdedRelu"),
  };
}

}  // namespace dragoman

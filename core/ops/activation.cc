// SPDX-License-Identifier: Apache-2.0
// Activation functions with attributes.
#include "runtime/params/activation.h"

#include <cmath>
#include <numbers>

#include "core/ops/activation_formula.h"
#include "core/ops/expansion_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

template <class P>
OpBuilder Activation(std::string_view type, OpVersions versions) {
  return Op(type, versions, "(X: T) -> (Y: T)", "T: float")
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

// gain · (max(x, 0) + scale · (exp(min(x, 0) / width) − 1))
struct ExponentialUnit {
  double scale = 1, width = 1, gain = 1;
};

Result<Values> Expand(Node& node, const ExponentialUnit& unit) {
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * below, BelowZero(formula));
  DRAGOMAN_ASSIGN(below, Scaled(formula, "Div", below, unit.width));
  DRAGOMAN_ASSIGN(Value * curve,
                  unit.width > 0 ? ExpLessOne(formula, below) : PlainExpLessOne(formula, below));
  DRAGOMAN_ASSIGN(curve, Scaled(formula, "Mul", curve, unit.scale));
  Value* sum = formula.Add("Add", {formula.Add("Relu", {formula.x()}), curve});
  DRAGOMAN_ASSIGN(Value * y, Scaled(formula, "Mul", sum, unit.gain));
  return Values{y};
}

Result<Values> ExpandCelu(Node& node) {
  DRAGOMAN_ASSIGN(const Params params, FillParams<rt::CeluParams>(node));
  const float alpha = params.As<rt::CeluParams>().alpha;
  return Expand(node, {.scale = alpha, .width = alpha});
}

Result<Values> ExpandElu(Node& node) {
  DRAGOMAN_ASSIGN(const Params params, FillParams<rt::EluParams>(node));
  return Expand(node, {.scale = params.As<rt::EluParams>().alpha});
}

Result<Values> ExpandSelu(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::SeluParams>(node));
  const auto& params = filled.As<rt::SeluParams>();
  return Expand(node, {.scale = params.alpha, .gain = params.gamma});
}

// max(0, min(1, alpha · x + beta))
Result<Values> ExpandHardSigmoid(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::HardSigmoidParams>(node));
  const auto& params = filled.As<rt::HardSigmoidParams>();
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * line, Scaled(formula, "Mul", formula.x(), params.alpha));
  DRAGOMAN_ASSIGN(Value * beta, formula.Number(params.beta));
  DRAGOMAN_ASSIGN(Value * y, WithinUnit(formula, formula.Add("Add", {line, beta})));
  return Values{y};
}

Result<Values> ExpandLeakyRelu(Node& node) {
  DRAGOMAN_ASSIGN(const Params params, FillParams<rt::LeakyReluParams>(node));
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * slope, formula.Number(params.As<rt::LeakyReluParams>().alpha));
  DRAGOMAN_ASSIGN(Value * y, WithSlopeBelowZero(formula, slope));
  return Values{y};
}

// x + bias below -lambd, x - bias above lambd, else 0; of integers in float64.
Result<Values> ExpandShrink(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::ShrinkParams>(node));
  const auto& params = filled.As<rt::ShrinkParams>();
  ExpansionFormula formula(node);
  const Type given = formula.type();
  if (IsInteger(given.dtype())) formula.set_type(given.WithDType(DType::kF64));
  Value* x = formula.Cast(formula.x(), formula.type());
  const Type truth = given.WithDType(DType::kBool);
  DRAGOMAN_ASSIGN(Value * zero, formula.Number(0));
  DRAGOMAN_ASSIGN(Value * bias, formula.Number(params.bias));
  DRAGOMAN_ASSIGN(Value * lowest, formula.Number(-params.lambd));
  DRAGOMAN_ASSIGN(Value * highest, formula.Number(params.lambd));
  Value* is_below = formula.Add("Less", {x, lowest}, truth);
  Value* is_above = formula.Add("Greater", {x, highest}, truth);
  Value* raised = formula.Add("Add", {x, bias});
  Value* lowered = formula.Add("Sub", {x, bias});
  Value* rest = formula.Add("Where", {is_above, lowered, zero});
  return Values{formula.Cast(formula.Add("Where", {is_below, raised, rest}), given)};
}

Result<Values> ExpandThresholdedRelu(Node& node) {
  DRAGOMAN_ASSIGN(const Params params, FillParams<rt::ThresholdedReluParams>(node));
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * alpha, formula.Number(params.As<rt::ThresholdedReluParams>().alpha));
  DRAGOMAN_ASSIGN(Value * zero, formula.Number(0));
  const Type truth = formula.type().WithDType(DType::kBool);
  Value* is_above = formula.Add("Greater", {formula.x(), alpha}, truth);
  return Values{formula.Add("Where", {is_above, formula.x(), zero})};
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
  const float alpha = params.As<rt::SwishParams>().alpha;
  DRAGOMAN_ASSIGN(Value * scaled, Scaled(formula, "Mul", formula.x(), alpha));
  Value* gate = formula.Add("Sigmoid", {scaled});
  return Values{formula.Add("Mul", {formula.x(), gate})};
}

}  // namespace

std::vector<OpDef> ActivationOps() {
  return {
      Activation<rt::CeluParams>("Celu", {12, 12}).Facts({.has_least = true}).Expand(ExpandCelu),
      Activation<rt::EluParams>("Elu", {1, 22})
          .Facts({.ends_zeros = true, .has_least = true})
          .Expand(ExpandElu),
      Activation<rt::GeluParams>("Gelu", {20, 20})
          .Facts({.ends_zeros = true, .has_least = true, .stays_near = true})
          .Expand(ExpandGelu),
      Activation<rt::HardSigmoidParams>("HardSigmoid", {1, 22})
          .Facts({.ends_zeros = true, .low = 0, .high = 1})
          .Expand(ExpandHardSigmoid),
      Activation<rt::LeakyReluParams>("LeakyRelu", {1, 16})
          .Facts({.ends_zeros = true})
          .Expand(ExpandLeakyRelu),
      Activation<rt::SeluParams>("Selu", {1, 22})
          .Facts({.ends_zeros = true, .has_least = true})
          .Expand(ExpandSelu),
      Op("Shrink", {9, 9}, "(input: T) -> (output: T)", "T: number")
          .Attributes<rt::ShrinkParams>()
          .Infer(SameTypeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/activation.h", .types = "T"})
          .Expand(ExpandShrink),
      Activation<rt::SwishParams>("Swish", {24, 24})
          .Facts({.ends_zeros = true, .has_least = true, .stays_near = true})
          .Expand(ExpandSwish),
      Activation<rt::ThresholdedReluParams>("ThresholdedRelu", {10, 22})
          .Facts({.has_least = true})
          .Expand(ExpandThresholdedRelu),
  };
}

}  // namespace dragoman

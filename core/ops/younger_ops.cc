// SPDX-License-Identifier: Apache-2.0
#include "core/ops/younger_ops.h"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/ops/expansion_formula.h"
#include "core/ops/params.h"
#include "runtime/params/activation.h"
#include "runtime/params/group_normalization.h"
#include "runtime/params/layer_normalization.h"

namespace dragoman {
namespace {

using Values = std::vector<Value*>;

// What normalisations over the axes from `axis` on share.
struct Moments {
  ExpansionFormula formula;
  Value* x;
  Value* axes;
  Type mean_type;
  Value* epsilon;

  Value* Mean(Value* value) { return formula.Add("ReduceMean", {value, axes}, mean_type); }
  Value* RootOfMeanSquare(Value* value) {
    Value* mean = Mean(formula.Add("Mul", {value, value}));
    return formula.Add("Sqrt", {formula.Add("Add", {mean, epsilon}, mean_type)}, mean_type);
  }
};

Result<Moments> MomentsOf(Node& node, std::int64_t axis, double epsilon) {
  ExpansionFormula formula(node);
  const Type type = formula.type();
  if (!type.rank()) return Unsupported("the rank of its operand is unknown").At(node.Describe());
  formula.set_type(type.WithDType(type.dtype() == DType::kF64 ? DType::kF64 : DType::kF32));
  Value* x = formula.Cast(formula.x(), formula.type());
  Shape reduced = *type.shape();
  std::vector<std::int64_t> axes;
  for (std::int64_t i = axis < 0 ? axis + *type.rank() : axis; i < *type.rank(); ++i) {
    axes.push_back(i);
    reduced[static_cast<std::size_t>(i)] = Dim(1);
  }
  DRAGOMAN_ASSIGN(Value * number, formula.Number(epsilon));
  Value* listed = formula.Ints(axes);
  const Type mean_type = formula.type().WithShape(std::move(reduced));
  return Moments{std::move(formula), x, listed, mean_type, number};
}

// (1 + tail) · x / 2
Result<Values> HalfOfOneAnd(ExpansionFormula& formula, Value* tail) {
  DRAGOMAN_ASSIGN(Value * one, formula.Number(1));
  DRAGOMAN_ASSIGN(Value * half, formula.Number(0.5));
  Value* gate = formula.Add("Mul", {formula.Add("Add", {tail, one}), half});
  return Values{formula.Add("Mul", {formula.x(), gate})};
}

}  // namespace

// In two's complement, −x − 1.
Result<Values> ExpandBitwiseNot(Node& node) {
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * zero, formula.Number(0));
  DRAGOMAN_ASSIGN(Value * one, formula.Number(1));
  return Values{formula.Add("Sub", {formula.Add("Sub", {zero, formula.x()}), one})};
}

Result<Values> ExpandCelu(Node& node) {
  DRAGOMAN_ASSIGN(const Params params, FillParams<rt::CeluParams>(node));
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * alpha, formula.Number(params.As<rt::CeluParams>().alpha));
  Value* curve = formula.Add("Elu", {formula.Add("Div", {formula.x(), alpha})});
  return Values{formula.Add("Mul", {curve, alpha})};
}

namespace {

// erfc(z) for z >= 0, in float32 to a few units in the last place: a Chebyshev series (Press et
// al., Numerical Recipes, section 6.2) in t = 1 / (1 + z/2),
//     t exp(-z² + series(t)),
// where z² = h² - (h - z)(h + z), and h, a multiple of 1/16 not far below z, has an exact square.
Result<Value*> ErfcOfPositive(ExpansionFormula& f, Value* z) {
  constexpr double kSeries[] = {0.17087277,  -0.82215223, 1.48851587, -1.13520398, 0.27886807,
                                -0.18628806, 0.09678418,  0.37409196, 1.00002368,  -1.26551223};
  constexpr double kZero = 30;  // from about 10 on, nothing is left
  DRAGOMAN_ASSIGN(Value * one, f.Number(1));
  DRAGOMAN_ASSIGN(Value * half, f.Number(0.5));
  DRAGOMAN_ASSIGN(Value * parts, f.Number(16));
  DRAGOMAN_ASSIGN(Value * far, f.Number(kZero));
  z = f.Add("Min", {z, far});
  Value* t = f.Add("Reciprocal", {f.Add("Add", {f.Add("Mul", {z, half}), one})});
  DRAGOMAN_ASSIGN(Value * series, f.Number(kSeries[0]));
  for (std::size_t i = 1; i < std::size(kSeries); ++i) {
    DRAGOMAN_ASSIGN(Value * next, f.Number(kSeries[i]));
    series = f.Add("Add", {f.Add("Mul", {series, t}), next});
  }
  Value* h = f.Add("Div", {f.Add("Floor", {f.Add("Mul", {z, parts})}), parts});
  Value* rest = f.Add("Mul", {f.Add("Sub", {h, z}), f.Add("Add", {h, z})});
  Value* coarse = f.Add("Exp", {f.Add("Neg", {f.Add("Mul", {h, h})})});
  Value* fine = f.Add("Exp", {f.Add("Add", {rest, series})});
  return f.Add("Mul", {f.Add("Mul", {t, fine}), coarse});
}

}  // namespace

// 1 - erf(x) where that loses little: near 0, and in float64 everywhere.
Result<Values> ExpandErfc(Node& node) {
  constexpr double kNear = 0.5;
  ExpansionFormula formula(node);
  const Type type = formula.type();
  const bool is_double = type.dtype() == DType::kF64;
  formula.set_type(type.WithDType(is_double ? DType::kF64 : DType::kF32));
  Value* x = formula.Cast(formula.x(), formula.type());
  DRAGOMAN_ASSIGN(Value * one, formula.Number(1));
  Value* near = formula.Add("Sub", {one, formula.Add("Erf", {x})});
  if (is_double) return Values{near};
  DRAGOMAN_ASSIGN(Value * zero, formula.Number(0));
  DRAGOMAN_ASSIGN(Value * two, formula.Number(2));
  DRAGOMAN_ASSIGN(Value * limit, formula.Number(kNear));
  const Type truth = formula.type().WithDType(DType::kBool);
  Value* z = formula.Add("Abs", {x});
  DRAGOMAN_ASSIGN(Value * right, ErfcOfPositive(formula, z));
  Value* is_left = formula.Add("Less", {x, zero}, truth);
  Value* far = formula.Add("Where", {is_left, formula.Add("Sub", {two, right}), right});
  Value* is_near = formula.Add("Less", {z, limit}, truth);
  return Values{formula.Cast(formula.Add("Where", {is_near, near, far}), type)};
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

// A group is normalised as a channel; then each channel is scaled and moved.
Result<Values> ExpandGroupNormalization(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::GroupNormalizationParams>(node));
  const auto& params = filled.As<rt::GroupNormalizationParams>();
  ExpansionFormula formula(node);
  const Type& type = formula.type();
  const Shape* shape = type.shape();
  if (shape == nullptr)
    return Unsupported("the rank of its operand is unknown").At(node.Describe());
  const Type grouped = type.WithShape(Shape{(*shape)[0], Dim(params.num_groups), Dim()});
  Value* groups =
      formula.Add("Reshape", {formula.x(), formula.Ints({0, params.num_groups, -1})}, grouped);
  const std::vector<std::int64_t> sizes = {params.num_groups};
  DRAGOMAN_ASSIGN(Value * ones, formula.Filled(sizes, 1));
  DRAGOMAN_ASSIGN(Value * zeros, formula.Filled(sizes, 0));
  Value* unit = formula.Add("InstanceNormalization", {groups, ones, zeros}, grouped);
  unit->producer()->SetAttribute("epsilon", params.epsilon);
  const auto rank = static_cast<std::int64_t>(shape->size());
  Value* whole = formula.Add("Shape", {formula.x()}, Type::Tensor(DType::kI64, std::vector{rank}));
  Value* y = formula.Add("Reshape", {unit, whole});
  std::vector<std::int64_t> behind(shape->size() - 2);
  std::iota(behind.begin(), behind.end(), 1);
  Shape channels(shape->size() - 1, Dim(1));
  channels[0] = (*shape)[1];
  const auto aligned = [&](std::size_t i) {
    if (behind.empty()) return node.operand(i);
    return formula.Add("Unsqueeze", {node.operand(i), formula.Ints(behind)},
                       type.WithShape(channels));
  };
  return Values{formula.Add("Add", {formula.Add("Mul", {y, aligned(1)}), aligned(2)})};
}

Result<Values> ExpandHardSwish(Node& node) {
  ExpansionFormula formula(node);
  Value* gate = formula.Add("HardSigmoid", {formula.x()});
  gate->producer()->SetAttribute("alpha", 1.0f / 6);
  gate->producer()->SetAttribute("beta", 0.5f);
  return Values{formula.Add("Mul", {formula.x(), gate})};
}

Result<Values> ExpandMish(Node& node) {
  ExpansionFormula formula(node);
  Value* gate = formula.Add("Tanh", {formula.Add("Softplus", {formula.x()})});
  return Values{formula.Add("Mul", {formula.x(), gate})};
}

Result<Values> ExpandOrEqual(Node& node) {
  ExpansionFormula formula(node);
  formula.set_type(node.result()->type());
  const Values operands = {node.operand(0), node.operand(1)};
  Value* strictly = formula.Add(node.Is("GreaterOrEqual") ? "Greater" : "Less", operands);
  return Values{formula.Add("Or", {strictly, formula.Add("Equal", operands)})};
}

// (x − mean) / √(mean (x − mean)² + epsilon) · scale + bias
Result<Values> ExpandLayerNormalization(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::LayerNormalizationParams>(node));
  const auto& params = filled.As<rt::LayerNormalizationParams>();
  DRAGOMAN_ASSIGN(Moments moments, MomentsOf(node, params.axis, params.epsilon));
  ExpansionFormula& formula = moments.formula;
  Value* mean = moments.Mean(moments.x);
  Value* centred = formula.Add("Sub", {moments.x, mean});
  Value* root = moments.RootOfMeanSquare(centred);
  Value* unit = formula.Add("Div", {centred, root});
  const Type& type = node.result()->type();
  Value* y = formula.Add("Mul", {formula.Cast(unit, type), node.operand(1)}, type);
  if (node.operand(2) != nullptr) y = formula.Add("Add", {y, node.operand(2)}, type);
  Values results = {y};
  if (node.result(1) != nullptr || node.result(2) != nullptr) results.push_back(mean);
  if (node.result(2) != nullptr)
    results.push_back(formula.Add("Reciprocal", {root}, moments.mean_type));
  for (std::size_t i = 1; i < results.size(); ++i) {
    if (node.result(i) != nullptr) results[i] = formula.Cast(results[i], node.result(i)->type());
  }
  return results;
}

// x / √(mean x² + epsilon) · scale
Result<Values> ExpandRmsNormalization(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::RMSNormalizationParams>(node));
  const auto& params = filled.As<rt::RMSNormalizationParams>();
  DRAGOMAN_ASSIGN(Moments moments, MomentsOf(node, params.axis, params.epsilon));
  ExpansionFormula& formula = moments.formula;
  Value* unit = formula.Add("Div", {moments.x, moments.RootOfMeanSquare(moments.x)});
  const Type& type = node.result()->type();
  return Values{formula.Add("Mul", {formula.Cast(unit, type), node.operand(1)}, type)};
}

Result<Values> ExpandSwish(Node& node) {
  DRAGOMAN_ASSIGN(const Params params, FillParams<rt::SwishParams>(node));
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * alpha, formula.Number(params.As<rt::SwishParams>().alpha));
  Value* gate = formula.Add("Sigmoid", {formula.Add("Mul", {formula.x(), alpha})});
  return Values{formula.Add("Mul", {formula.x(), gate})};
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/spell_doubles.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ops/activation_formula.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/expansion.h"
#include "core/ops/expansion_formula.h"
#include "core/ops/op_def.h"
#include "core/support/find_by_key.h"

namespace dragoman {
namespace {

class Formula {
 public:
  explicit Formula(Node& node) : node_(node), formula_(node) {
    formula_.set_type(node.result()->type());
  }

  Value* x() const { return node_.operand(0); }
  Value* slope() const { return node_.operand(1); }
  Value* Number(double value) {
    const std::vector<double> one = {value};
    return formula_.Constant(Tensor::Of<double>({}, one));
  }
  Value* Attribute(std::string_view name) { return Number(FloatAttribute(node_, name)); }
  Value* Op(std::string_view type, const std::vector<Value*>& operands) {
    return formula_.Add(type, operands);
  }
  Value* Typed(DType dtype, std::string_view type, const std::vector<Value*>& operands) {
    return formula_.Add(type, operands, formula_.type().WithDType(dtype));
  }
  Value* Cast(Value* a, DType to) { return formula_.Cast(a, a->type().WithDType(to)); }
  Value* Add(Value* a, Value* b) { return Op("Add", {a, b}); }
  Value* Sub(Value* a, Value* b) { return Op("Sub", {a, b}); }
  Value* Mul(Value* a, Value* b) { return Op("Mul", {a, b}); }
  Value* Div(Value* a, Value* b) { return Op("Div", {a, b}); }
  Value* LogOfOneAnd(Value* u) { return *dragoman::LogOfOneAnd(formula_, u); }

 private:
  Node& node_;
  ExpansionFormula formula_;
};

// erf(x) = sign(x) · (1 - t · exp(p(2 t - 1) - x²)), t = 1 / (1 + |x| / 2), right to 2e-15. Source
// of p: the Chebyshev coefficients of W. H. Press et al., Numerical Recipes, third edition, 6.2.2,
// the first 24 of them, as a polynomial.
Value* Erf(Formula& f) {
  constexpr double kTerms[] = {
      2.9804724224e-08,        7.99014912e-10,         -2.89560068096e-07,
      1.5975579647999983e-07,  1.28338755584e-06,      -1.7128800911359992e-06,
      -2.9634719252480004e-06, 8.952694538240002e-06,  1.3988043161600056e-07,
      -3.0421098799104e-05,    3.1746944958463994e-05, 7.1495310051328e-05,
      -0.0001743041344256,     -9.3760357455872e-05,   0.00067367913666432,
      -0.00014624252406080003, -0.0023458125532600316, 0.001758933117144512,
      0.00882493856133901,     -0.009872689343194248,  -0.04689561023133001,
      0.047343306841425015,    0.6726432239776583,     -0.6717940840566906};
  Value* one = f.Number(1);
  Value* half = f.Mul(f.Op("Abs", {f.x()}), f.Number(0.5));
  Value* t = f.Div(one, f.Add(half, one));
  Value* u = f.Sub(f.Add(t, t), one);
  Value* sum = f.Number(kTerms[0]);
  for (std::size_t i = 1; i < std::size(kTerms); ++i)
    sum = f.Add(f.Mul(sum, u), f.Number(kTerms[i]));
  Value* decay = f.Op("Exp", {f.Sub(sum, f.Mul(f.x(), f.x()))});
  return f.Mul(f.Op("Sign", {f.x()}), f.Sub(one, f.Mul(t, decay)));
}

// tan(y - atan(x)) = (sin(y) - x · cos(y)) / (cos(y) + x · sin(y)): with y = atan(x) in float32,
// the difference is so small that it is its tangent. Past 1e300, x gives π / 2 as 1e300 does.
Value* AtanOf(Formula& f, Value* x) {
  Value* y = f.Cast(f.Typed(DType::kF32, "Atan", {f.Cast(x, DType::kF32)}), DType::kF64);
  x = f.Op("Max", {f.Op("Min", {x, f.Number(1e300)}), f.Number(-1e300)});
  Value* sin = f.Op("Sin", {y});
  Value* cos = f.Op("Cos", {y});
  return f.Sub(y, f.Div(f.Sub(sin, f.Mul(x, cos)), f.Add(cos, f.Mul(x, sin))));
}

Value* Atan(Formula& f) { return AtanOf(f, f.x()); }

Value* Asin(Formula& f) {
  Value* one = f.Number(1);
  Value* cos = f.Op("Sqrt", {f.Mul(f.Sub(one, f.x()), f.Add(one, f.x()))});
  return AtanOf(f, f.Div(f.x(), cos));
}

// 2 · atan(√((1 - x) / (1 + x)))
Value* Acos(Formula& f) {
  Value* one = f.Number(1);
  Value* half = AtanOf(f, f.Op("Sqrt", {f.Div(f.Sub(one, f.x()), f.Add(one, f.x()))}));
  return f.Add(half, half);
}

Value* Tan(Formula& f) { return f.Div(f.Op("Sin", {f.x()}), f.Op("Cos", {f.x()})); }

// sign(x) · log(1 + a + a / (1 / a + √(1 / a² + 1))), a = |x|, up to 8e307.
Value* AsinhOf(Formula& f, Value* x) {
  Value* one = f.Number(1);
  Value* a = f.Op("Abs", {x});
  Value* inverse = f.Div(one, a);
  Value* root = f.Op("Sqrt", {f.Add(f.Mul(inverse, inverse), one)});
  Value* u = f.Add(a, f.Div(a, f.Add(inverse, root)));
  return f.Mul(f.Op("Sign", {x}), f.LogOfOneAnd(u));
}

Value* Asinh(Formula& f) { return AsinhOf(f, f.x()); }

// 2 · asinh(√((x - 1) / 2))
Value* Acosh(Formula& f) {
  Value* root = f.Op("Sqrt", {f.Mul(f.Sub(f.x(), f.Number(1)), f.Number(0.5))});
  Value* half = AsinhOf(f, root);
  return f.Add(half, half);
}

Value* Atanh(Formula& f) {
  Value* twice = f.Sub(f.LogOfOneAnd(f.x()), f.LogOfOneAnd(f.Op("Neg", {f.x()})));
  return f.Mul(twice, f.Number(0.5));
}

// exp(|x| / 2), whose square is not infinite before the result is.
Value* RootOfExp(Formula& f) { return f.Op("Exp", {f.Mul(f.Op("Abs", {f.x()}), f.Number(0.5))}); }

Value* Cosh(Formula& f) {
  Value* root = RootOfExp(f);
  Value* half = f.Number(0.5);
  return f.Add(f.Mul(f.Mul(half, root), root), f.Div(f.Div(half, root), root));
}

// sign(x) · exp(a) · 2 t / (1 + t)², t = tanh(a / 2), a = |x|: keeps its digits near 0.
Value* Sinh(Formula& f) {
  Value* root = RootOfExp(f);
  Value* t = f.Op("Tanh", {f.Mul(f.Op("Abs", {f.x()}), f.Number(0.5))});
  Value* sum = f.Add(f.Number(1), t);
  Value* part = f.Div(f.Div(f.Add(t, t), sum), sum);
  return f.Mul(f.Op("Sign", {f.x()}), f.Mul(f.Mul(part, root), root));
}

// Without Where, which operator sets below 9 lack.
Value* SlopeBelow(Formula& f, Value* slope) {
  Value* zero = f.Number(0);
  return f.Add(f.Op("Max", {f.x(), zero}), f.Mul(slope, f.Op("Min", {f.x(), zero})));
}

Value* LeakyRelu(Formula& f) { return SlopeBelow(f, f.Attribute("alpha")); }

Value* PRelu(Formula& f) { return SlopeBelow(f, f.slope()); }

struct Row {
  std::string_view op;
  Value* (*formula)(Formula&) = nullptr;  // nullptr: it has an expansion
  std::int64_t first = INT64_MAX;         // the first operator set in which it is there
};

// By name: operators that ONNX Runtime 1.31 does not compute in float64, because it lacks them,
// rounds to float32, or expands them into others that it lacks; and, with an operator set, those
// that it computes from there on. Functions of one tensor without a row get their expansion, if
// they have one.
constexpr Row kRows[] = {
    // clang-format off
    {"Acos", Acos},
    {"Acosh", Acosh},
    {"Asin", Asin},
    {"Asinh", Asinh},
    {"Atan", Atan},
    {"Atanh", Atanh},
    {"BitCast", nullptr, 26},
    {"Clip", nullptr, 12},
    {"Cosh", Cosh},
    {"Erf", Erf},
    {"GlobalAveragePool"},
    {"GlobalMaxPool"},
    {"LeakyRelu", LeakyRelu},
    {"MeanVarianceNormalization"},
    {"PRelu", PRelu},
    {"Sinh", Sinh},
    {"Swish", nullptr, 24},
    {"Tan", Tan},
    // clang-format on
};
static_assert(IsSortedBy(kRows, &Row::op));

bool IsExpandedFunction(const Node& node) { return IsUnary(node) && FindOp(node)->expand; }

// Whether operators stand for the node.
bool Spell(Node& node, std::int64_t opset) {
  if (node.num_results() != 1 || node.result()->type().dtype() != DType::kF64) return false;
  const Row* row = FindByKey(kRows, std::string_view(node.op().type), &Row::op);
  if (row != nullptr ? !node.Is(row->op) || opset >= row->first : !IsExpandedFunction(node))
    return false;
  if (row == nullptr || row->formula == nullptr) return ReplaceByExpansion(node).ok();
  Formula formula(node);
  TakePlace(row->formula(formula), node);
  node.graph()->Erase(&node);
  return true;
}

}  // namespace

// What stands for a node may be spelled in its turn.
void SpellDoubles(Graph& entry, std::int64_t opset) {
  bool changed = true;
  while (changed) {
    changed = false;
    ForEachGraph(entry, [&](Graph& graph) {
      for (Node& node : graph.nodes()) changed |= Spell(node, opset);
    });
  }
}

}  // namespace dragoman

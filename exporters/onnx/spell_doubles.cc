// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/spell_doubles.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ops/declared_attributes.h"
#include "core/ops/expansion_formula.h"

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
  // `op` over all axes but the first two; nullptr where there are none, or none are known.
  Value* OverPlaces(std::string_view op) {
    const Shape* shape = x()->type().shape();
    if (shape == nullptr || shape->size() < 3) return nullptr;
    std::vector<std::int64_t> axes(shape->size() - 2);
    std::iota(axes.begin(), axes.end(), 2);
    return Op(op, {x(), formula_.Ints(axes)});
  }
  Value* Add(Value* a, Value* b) { return Op("Add", {a, b}); }
  Value* Sub(Value* a, Value* b) { return Op("Sub", {a, b}); }
  Value* Mul(Value* a, Value* b) { return Op("Mul", {a, b}); }
  Value* Div(Value* a, Value* b) { return Op("Div", {a, b}); }
  Value* Above(Value* a) { return Op("Max", {a, Number(0)}); }
  Value* Below(Value* a) { return Op("Min", {a, Number(0)}); }

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

// What 1 + u loses of u, (1 + u) - 1 - u, counts as such a part of 1 + u; below -1/2 it loses
// nothing, above 1 nothing that counts.
Value* LogOfOneAnd(Formula& f, Value* u) {
  Value* one = f.Number(1);
  Value* near = f.Op("Max", {f.Op("Min", {u, one}), f.Number(-0.5)});
  Value* sum = f.Add(one, near);
  Value* lost = f.Sub(f.Sub(sum, one), near);
  return f.Sub(f.Op("Log", {f.Add(one, u)}), f.Div(lost, sum));
}

// sign(x) · log(1 + a + a / (1 / a + √(1 / a² + 1))), a = |x|, up to 8e307.
Value* AsinhOf(Formula& f, Value* x) {
  Value* one = f.Number(1);
  Value* a = f.Op("Abs", {x});
  Value* inverse = f.Div(one, a);
  Value* root = f.Op("Sqrt", {f.Add(f.Mul(inverse, inverse), one)});
  Value* u = f.Add(a, f.Div(a, f.Add(inverse, root)));
  return f.Mul(f.Op("Sign", {x}), LogOfOneAnd(f, u));
}

Value* Asinh(Formula& f) { return AsinhOf(f, f.x()); }

// 2 · asinh(√((x - 1) / 2))
Value* Acosh(Formula& f) {
  Value* root = f.Op("Sqrt", {f.Mul(f.Sub(f.x(), f.Number(1)), f.Number(0.5))});
  Value* half = AsinhOf(f, root);
  return f.Add(half, half);
}

Value* Atanh(Formula& f) {
  Value* twice = f.Sub(LogOfOneAnd(f, f.x()), LogOfOneAnd(f, f.Op("Neg", {f.x()})));
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

// x above 0, alpha · (exp(x) - 1) below. With t = tanh(x / 2), exp(x) - 1 = 2 t / (1 - t), which
// keeps its digits near 0.
Value* Elu(Formula& f) {
  Value* t = f.Op("Tanh", {f.Mul(f.Below(f.x()), f.Number(0.5))});
  Value* rest = f.Div(f.Add(t, t), f.Sub(f.Number(1), t));
  return f.Add(f.Above(f.x()), f.Mul(f.Attribute("alpha"), rest));
}

Value* Selu(Formula& f) { return f.Mul(f.Attribute("gamma"), Elu(f)); }

Value* Gate(Formula& f, Value* line) { return f.Above(f.Op("Min", {line, f.Number(1)})); }

Value* HardSigmoid(Formula& f) {
  return Gate(f, f.Add(f.Mul(f.x(), f.Attribute("alpha")), f.Attribute("beta")));
}

Value* SlopeBelow(Formula& f, Value* slope) {
  return f.Add(f.Above(f.x()), f.Mul(slope, f.Below(f.x())));
}

Value* LeakyRelu(Formula& f) { return SlopeBelow(f, f.Attribute("alpha")); }

Value* PRelu(Formula& f) { return SlopeBelow(f, f.slope()); }

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|))
Value* Softplus(Formula& f) {
  Value* u = f.Op("Exp", {f.Op("Neg", {f.Op("Abs", {f.x()})})});
  return f.Add(f.Above(f.x()), LogOfOneAnd(f, u));
}

Value* ThresholdedRelu(Formula& f) {
  Value* is_above = f.Typed(DType::kBool, "Greater", {f.x(), f.Attribute("alpha")});
  return f.Op("Where", {is_above, f.x(), f.Number(0)});
}

Value* GlobalAveragePool(Formula& f) { return f.OverPlaces("ReduceMean"); }

Value* GlobalMaxPool(Formula& f) { return f.OverPlaces("ReduceMax"); }

Value* Softsign(Formula& f) { return f.Div(f.x(), f.Add(f.Number(1), f.Op("Abs", {f.x()}))); }

struct Row {
  std::string_view op;
  Value* (*formula)(Formula&);  // nullptr where it cannot be written
};

// By name: what ONNX Runtime 1.31 lacks in float64.
constexpr Row kRows[] = {
    {"Acos", Acos},
    {"Acosh", Acosh},
    {"Asin", Asin},
    {"Asinh", Asinh},
    {"Atan", Atan},
    {"Atanh", Atanh},
    {"Cosh", Cosh},
    {"Elu", Elu},
    {"Erf", Erf},
    {"GlobalAveragePool", GlobalAveragePool},
    {"GlobalMaxPool", GlobalMaxPool},
    {"HardSigmoid", HardSigmoid},
    {"LeakyRelu", LeakyRelu},
    {"PRelu", PRelu},
    {"Selu", Selu},
    {"Sinh", Sinh},
    {"Softplus", Softplus},
    {"Softsign", Softsign},
    {"Tan", Tan},
    {"ThresholdedRelu", ThresholdedRelu},
};

void Spell(Node& node) {
  if (node.num_results() != 1 || node.result()->type().dtype() != DType::kF64) return;
  for (const Row& row : kRows) {
    if (!node.Is(row.op)) continue;
    Formula formula(node);
    Value* made = row.formula(formula);
    if (made == nullptr) return;
    TakePlace(made, node);
    node.graph()->Erase(&node);
    return;
  }
}

}  // namespace

void SpellDoubles(Graph& entry) {
  ForEachGraph(entry, [](Graph& graph) {
    for (Node& node : graph.nodes()) Spell(node);
  });
}

}  // namespace dragoman

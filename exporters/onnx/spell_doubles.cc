// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/spell_doubles.h"

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ops/declared_attributes.h"
#include "core/ops/expansion.h"

namespace dragoman {
namespace {

// Nodes in front of one of a single operand, of its type.
class Formula {
 public:
  explicit Formula(Node& node) : node_(&node), name_(node.result()->name() + ".f64") {}

  Value* x() const { return node_->operand(0); }
  Value* Number(double value) const {
    const std::vector<double> one = {value};
    return node_->graph()->AddConstant(name_, Tensor::Of<double>({}, one));
  }
  Value* Attribute(std::string_view name) const { return Number(FloatAttribute(*node_, name)); }
  Value* Op(std::string_view type, const std::vector<Value*>& operands) const {
    return InsertOp(*node_, type, operands, node_->result()->type(), name_);
  }
  Value* Add(Value* a, Value* b) const { return Op("Add", {a, b}); }
  Value* Sub(Value* a, Value* b) const { return Op("Sub", {a, b}); }
  Value* Mul(Value* a, Value* b) const { return Op("Mul", {a, b}); }
  Value* Div(Value* a, Value* b) const { return Op("Div", {a, b}); }
  Value* Above(Value* a) const { return Op("Max", {a, Number(0)}); }
  Value* Below(Value* a) const { return Op("Min", {a, Number(0)}); }

 private:
  Node* node_;
  std::string name_;
};

// erf(x) = sign(x) · (1 - t · exp(p(2 t - 1) - x²)), t = 1 / (1 + |x| / 2), right to 2e-15. Source
// of p: the Chebyshev coefficients of W. H. Press et al., Numerical Recipes, third edition, 6.2.2,
// the first 24 of them, as a polynomial.
Value* Erf(const Formula& f) {
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

// x above 0, alpha · (exp(x) - 1) below. With t = tanh(x / 2), exp(x) - 1 = 2 t / (1 - t), which
// keeps its digits near 0.
Value* Elu(const Formula& f) {
  Value* t = f.Op("Tanh", {f.Mul(f.Below(f.x()), f.Number(0.5))});
  Value* rest = f.Div(f.Add(t, t), f.Sub(f.Number(1), t));
  return f.Add(f.Above(f.x()), f.Mul(f.Attribute("alpha"), rest));
}

Value* Selu(const Formula& f) { return f.Mul(f.Attribute("gamma"), Elu(f)); }

Value* Gate(const Formula& f, Value* line) { return f.Above(f.Op("Min", {line, f.Number(1)})); }

Value* HardSigmoid(const Formula& f) {
  return Gate(f, f.Add(f.Mul(f.x(), f.Attribute("alpha")), f.Attribute("beta")));
}

// By a HardSigmoid, as ONNX defines it, 1 / 6 would be of float32.
Value* HardSwish(const Formula& f) {
  return f.Mul(f.x(), Gate(f, f.Add(f.Div(f.x(), f.Number(6)), f.Number(0.5))));
}

Value* LeakyRelu(const Formula& f) {
  return f.Add(f.Above(f.x()), f.Mul(f.Attribute("alpha"), f.Below(f.x())));
}

// log(1 + exp(x)) = max(x, 0) + log(1 + u), u = exp(-|x|). What 1 + u loses of u, (1 + u) - 1 - u,
// counts as such a part of 1 + u.
Value* Softplus(const Formula& f) {
  Value* one = f.Number(1);
  Value* u = f.Op("Exp", {f.Op("Neg", {f.Op("Abs", {f.x()})})});
  Value* sum = f.Add(one, u);
  Value* lost = f.Sub(f.Sub(sum, one), u);
  return f.Add(f.Above(f.x()), f.Sub(f.Op("Log", {sum}), f.Div(lost, sum)));
}

Value* Softsign(const Formula& f) { return f.Div(f.x(), f.Add(f.Number(1), f.Op("Abs", {f.x()}))); }

struct Row {
  std::string_view op;
  Value* (*formula)(const Formula&);
};

// By name: what ONNX Runtime 1.31 lacks in float64.
constexpr Row kRows[] = {
    {"Elu", Elu},
    {"Erf", Erf},
    {"HardSigmoid", HardSigmoid},
    {"HardSwish", HardSwish},
    {"LeakyRelu", LeakyRelu},
    {"Selu", Selu},
    {"Softplus", Softplus},
    {"Softsign", Softsign},
};

void Spell(Node& node) {
  if (node.num_results() != 1 || node.result()->type().dtype() != DType::kF64) return;
  for (const Row& row : kRows) {
    if (!node.Is(row.op)) continue;
    Value* old = node.result();
    Value* made = row.formula(Formula(node));
    old->ReplaceAllUsesWith(made);
    std::string name = old->name();
    old->set_name(made->name());
    made->set_name(std::move(name));
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

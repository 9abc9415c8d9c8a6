// SPDX-License-Identifier: Apache-2.0
// Activations: Relay has few of them, the rest is composed. All in the operand's own element type.
#include "codegen/relay/ops/op_rows.h"

#include "codegen/relay/ops/extreme.h"
#include "codegen/relay/ops/sizes.h"
#include "codegen/relay/ops/unary.h"
#include "codegen/tvm/activations.h"

namespace dragoman::relay::emit {
namespace {

// The calls of a formula (codegen/tvm/activations.h).
struct Formula {
  using Term = Value*;

  RelayOp& op;

  Value* arg(std::size_t i) const { return op.arg(i); }
  Value* Number(double value) const { return op.Number(value); }
  Value* Do(std::string_view name, Values operands) const {
    return op.Do(name, std::move(operands));
  }
  Value* Last(std::string_view name, Values operands) const {
    return Do(name, std::move(operands));
  }
  Value* Compare(std::string_view name, Values operands) const {
    return Do(name, std::move(operands));
  }
  Value* Clamp(Value* x, double low, double high) const {
    return Do("minimum", {Number(high), Do("maximum", {Number(low), x})});
  }
  Value* Magnitude() const { return Unary(op, "abs", arg(0), op.dtype()); }
};

template <Result<Value*> (*formula)(const Formula& f)>
Emitted EmitFormula(RelayOp& op) {
  DRAGOMAN_ASSIGN(Value * result, formula({op}));
  return One(result);
}

Emitted EmitLeakyRelu(RelayOp& op) {
  return One(op.Do("nn.leaky_relu", {op.arg(0)}, {{"alpha", op.Float("alpha")}}));
}

// x · (½ + ½ erf(x · √½)) as importers wrote it; with tanh as its polynomial.
Emitted EmitGelu(RelayOp& op) {
  Value* x = op.arg(0);
  Value* inner = nullptr;
  if (op.String("approximate", "none") == "tanh") {
    Value* cube = op.Do("multiply", {op.Do("multiply", {x, x}), x});
    Value* sum = op.Do("add", {x, op.Do("multiply", {cube, op.Number(0.044715)})});
    inner = op.Do("tanh", {op.Do("multiply", {sum, op.Number(0.7978845608028654)})});
  } else {
    inner = Unary(op, "erf", op.Do("multiply", {x, op.Number(0.7071067811865476)}), op.dtype());
  }
  Value* half = op.Do("multiply", {inner, op.Number(0.5)});
  return One(op.Do("multiply", {x, op.Do("add", {op.Number(0.5), half})}));
}

// x · sigmoid(alpha · x)
Emitted EmitSwish(RelayOp& op) {
  const float alpha = op.Float("alpha");
  Value* x = op.arg(0);
  Value* scaled = alpha == 1.0f ? x : op.Do("multiply", {x, op.Number(alpha)});
  return One(op.Do("multiply", {x, op.Do("sigmoid", {scaled})}));
}

// One at the first greatest element of each row along the axis, else zero.
Emitted EmitHardmax(RelayOp& op) {
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(const std::int64_t axis, op.Axis("axis"));
  const auto rank = static_cast<std::int64_t>(shape.size());
  Value* greatest = ExtremePlace(op, true, axis, true, false);
  Value* count = SizeOf(op, op.arg(0), shape[static_cast<std::size_t>(axis)], axis);
  Value* places = WithAxesBehind(op, Places(op, count), rank - axis - 1);
  Value* hit = op.Do("equal", {greatest, places});
  return One(op.Cast(hit, DType::kBool, op.dtype()));
}

// log softmax of open sizes is x - max - log(sum(exp(x - max))): TVM 0.19 has no shape function for
// the operator.
Emitted EmitSoftmax(RelayOp& op) {
  if (op.node.Is("LogSoftmax") && HasOpenSizes(op.node)) {
    const Attribute::Dict along = {{"axis", Ints{op.Int("axis")}}, {"keepdims", true}};
    Value* x = op.Do("subtract", {op.arg(0), op.Do("max", {op.arg(0)}, along)});
    Value* sum = op.Do("sum", {op.Do("exp", {x})}, along);
    return One(op.Do("subtract", {x, op.Do("log", {sum})}));
  }
  return One(op.Do(op.target, {op.arg(0)}, {{"axis", op.Int("axis")}}));
}

}  // namespace

std::span<const Row> ActivationRows() {
#define DRAGOMAN_ROW(NAME) {#NAME, EmitFormula<tvm::NAME>},
  static constexpr Row kRows[] = {
      DRAGOMAN_TVM_FORMULAS(DRAGOMAN_ROW)  //
      {"Gelu", EmitGelu},
      {"Hardmax", EmitHardmax},
      {"LeakyRelu", EmitLeakyRelu},
      {"LogSoftmax", EmitSoftmax, "nn.log_softmax"},
      {"Softmax", EmitSoftmax, "nn.softmax"},
      {"Swish", EmitSwish},
  };
#undef DRAGOMAN_ROW
  return kRows;
}

}  // namespace dragoman::relay::emit

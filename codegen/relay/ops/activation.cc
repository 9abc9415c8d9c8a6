// SPDX-License-Identifier: Apache-2.0
// Activations: Relay has few of them, the rest is composed. All in the operand's own element type.
#include "codegen/relay/ops/op_rows.h"

#include "codegen/relay/ops/extreme.h"
#include "codegen/relay/ops/sizes.h"
#include "codegen/relay/ops/unary.h"

namespace dragoman::relay::emit {
namespace {

Value* Clamp(RelayOp& op, Value* x, double low, double high) {
  return op.Do("clip", {x}, {{"a_min", low}, {"a_max", high}});
}

// gain * (relu(x) + scale * (exp(min(x, 0) / width) - 1))
Value* ExponentialUnit(RelayOp& op, double scale, double width, double gain) {
  Value* inner = op.Do("minimum", {op.arg(0), op.Number(0)});
  if (width != 1) inner = op.Do("divide", {inner, op.Number(width)});
  Value* less = op.Do("subtract", {op.Do("exp", {inner}), op.Number(1)});
  Value* low = op.Do("multiply", {less, op.Number(scale)});
  Value* sum = op.Do("add", {op.Do("nn.relu", {op.arg(0)}), low});
  return gain == 1 ? sum : op.Do("multiply", {sum, op.Number(gain)});
}

// log(1 + exp(x)) as relu(x) + log(1 + exp(-|x|)), which does not overflow.
Value* Softplus(RelayOp& op) {
  Value* exp = op.Do("exp", {op.Do("negative", {Unary(op, "abs", op.arg(0), op.dtype())})});
  Value* log = op.Do("log", {op.Do("add", {exp, op.Number(1)})});
  return op.Do("add", {op.Do("nn.relu", {op.arg(0)}), log});
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

Emitted EmitElu(RelayOp& op) { return One(ExponentialUnit(op, op.Float("alpha"), 1, 1)); }

Emitted EmitCelu(RelayOp& op) {
  const double alpha = op.Float("alpha");
  return One(ExponentialUnit(op, alpha, alpha, 1));
}

Emitted EmitSelu(RelayOp& op) {
  return One(ExponentialUnit(op, op.Float("alpha"), 1, op.Float("gamma")));
}

Emitted EmitHardSigmoid(RelayOp& op) {
  Value* scaled = op.Do("multiply", {op.arg(0), op.Number(op.Float("alpha"))});
  return One(Clamp(op, op.Do("add", {scaled, op.Number(op.Float("beta"))}), 0, 1));
}

Emitted EmitHardSwish(RelayOp& op) {
  Value* gate = Clamp(op, op.Do("add", {op.arg(0), op.Number(3)}), 0, 6);
  return One(op.Do("multiply", {op.arg(0), op.Do("divide", {gate, op.Number(6)})}));
}

Emitted EmitSoftplus(RelayOp& op) { return One(Softplus(op)); }

Emitted EmitMish(RelayOp& op) {
  return One(op.Do("multiply", {op.arg(0), op.Do("tanh", {Softplus(op)})}));
}

Emitted EmitSoftsign(RelayOp& op) {
  Value* below = op.Do("add", {Unary(op, "abs", op.arg(0), op.dtype()), op.Number(1)});
  return One(op.Do("divide", {op.arg(0), below}));
}

Emitted EmitThresholdedRelu(RelayOp& op) {
  Value* above = op.Do("greater", {op.arg(0), op.Number(op.Float("alpha"))});
  return One(op.Do("where", {above, op.arg(0), op.Number(0)}));
}

Emitted EmitShrink(RelayOp& op) {
  if (!IsFloating(op.dtype())) return op.Refuse("the operator takes floating-point operands only");
  const float lambd = op.Float("lambd");
  Value* bias = op.Number(op.Float("bias"));
  Value* x = op.arg(0);
  Value* above = op.Do("greater", {x, op.Number(lambd)});
  Value* below = op.Do("less", {x, op.Number(-lambd)});
  Value* rest = op.Do("where", {above, op.Do("subtract", {x, bias}), op.Number(0)});
  return One(op.Do("where", {below, op.Do("add", {x, bias}), rest}));
}

// Relay's prelu has one slope an element of an axis; ONNX's broadcasts: relu(x) + slope · min(x,
// 0).
Emitted EmitPRelu(RelayOp& op) {
  Value* high = op.Do("maximum", {op.arg(0), op.Number(0)});
  Value* low = op.Do("minimum", {op.arg(0), op.Number(0)});
  return One(op.Do("add", {high, op.Do("multiply", {low, op.arg(1)})}));
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
  static constexpr Row kRows[] = {
      {"Celu", EmitCelu},
      {"Elu", EmitElu},
      {"Gelu", EmitGelu},
      {"HardSigmoid", EmitHardSigmoid},
      {"HardSwish", EmitHardSwish},
      {"Hardmax", EmitHardmax},
      {"LeakyRelu", EmitLeakyRelu},
      {"LogSoftmax", EmitSoftmax, "nn.log_softmax"},
      {"Mish", EmitMish},
      {"PRelu", EmitPRelu},
      {"Selu", EmitSelu},
      {"Shrink", EmitShrink},
      {"Softmax", EmitSoftmax, "nn.softmax"},
      {"Softplus", EmitSoftplus},
      {"Softsign", EmitSoftsign},
      {"Swish", EmitSwish},
      {"ThresholdedRelu", EmitThresholdedRelu},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit

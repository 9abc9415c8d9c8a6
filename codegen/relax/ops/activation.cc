// SPDX-License-Identifier: Apache-2.0
// Activations: Relax has few of them, the rest is composed. All in the operand's own element type.
#include "codegen/relax/ops/op_rows.h"

#include <fmt/format.h>

#include "codegen/relax/ops/extreme.h"

namespace dragoman::relax {
namespace {

// clip(x, low, high) by constants.
std::string Clamp(RelaxOp& op, const std::string& x, double low, double high) {
  const std::string above = op.BindLike(fmt::format("R.maximum({}, {})", x, op.Const(low)));
  return op.BindLike(fmt::format("R.minimum({}, {})", above, op.Const(high)));
}

// gain * (relu(x) + scale * (exp(min(x, 0) / width) - 1))
Expressions ExponentialUnit(RelaxOp& op, double scale, double width, double gain) {
  const std::string negative =
      op.BindLike(fmt::format("R.minimum({}, {})", op.arg(0), op.Const(0)));
  std::string inner = negative;
  if (width != 1) inner = op.BindLike(fmt::format("R.divide({}, {})", negative, op.Const(width)));
  const std::string exp = op.BindLike(fmt::format("R.exp({})", inner));
  const std::string less = op.BindLike(fmt::format("R.subtract({}, {})", exp, op.Const(1)));
  const std::string low = op.BindLike(fmt::format("R.multiply({}, {})", less, op.Const(scale)));
  const std::string high = op.BindLike(fmt::format("R.nn.relu({})", op.arg(0)));
  std::string sum = fmt::format("R.add({}, {})", high, low);
  if (gain != 1) sum = fmt::format("R.multiply({}, {})", op.BindLike(sum), op.Const(gain));
  return One(sum);
}

Expressions EmitRelu(RelaxOp& op) { return One(fmt::format("R.nn.relu({})", op.arg(0))); }

Expressions EmitLeakyRelu(RelaxOp& op) {
  return One(
      fmt::format("R.nn.leakyrelu({}, alpha={})", op.arg(0), op.FloatArgument(op.Float("alpha"))));
}

Expressions EmitGelu(RelaxOp& op) {
  const bool tanh = op.String("approximate", "none") == "tanh";
  return One(fmt::format("R.nn.{}({})", tanh ? "gelu_tanh" : "gelu", op.arg(0)));
}

Expressions EmitElu(RelaxOp& op) { return ExponentialUnit(op, op.Float("alpha"), 1, 1); }

Expressions EmitCelu(RelaxOp& op) {
  const double alpha = op.Float("alpha");
  return ExponentialUnit(op, alpha, alpha, 1);
}

Expressions EmitSelu(RelaxOp& op) {
  return ExponentialUnit(op, op.Float("alpha"), 1, op.Float("gamma"));
}

Expressions EmitHardSigmoid(RelaxOp& op) {
  const std::string scaled =
      op.BindLike(fmt::format("R.multiply({}, {})", op.arg(0), op.Const(op.Float("alpha"))));
  const std::string shifted =
      op.BindLike(fmt::format("R.add({}, {})", scaled, op.Const(op.Float("beta"))));
  return One(Clamp(op, shifted, 0, 1));
}

Expressions EmitHardSwish(RelaxOp& op) {
  const std::string shifted = op.BindLike(fmt::format("R.add({}, {})", op.arg(0), op.Const(3)));
  const std::string gate = Clamp(op, shifted, 0, 6);
  const std::string scaled = op.BindLike(fmt::format("R.divide({}, {})", gate, op.Const(6)));
  return One(fmt::format("R.multiply({}, {})", op.arg(0), scaled));
}

// log(1 + exp(x)) as relu(x) + log(1 + exp(-|x|)), which does not overflow.
Expressions EmitSoftplus(RelaxOp& op) {
  const std::string magnitude = op.BindLike(fmt::format("R.abs({})", op.arg(0)));
  const std::string minus = op.BindLike(fmt::format("R.negative({})", magnitude));
  const std::string exp = op.BindLike(fmt::format("R.exp({})", minus));
  const std::string plus = op.BindLike(fmt::format("R.add({}, {})", exp, op.Const(1)));
  const std::string log = op.BindLike(fmt::format("R.log({})", plus));
  const std::string high = op.BindLike(fmt::format("R.nn.relu({})", op.arg(0)));
  return One(fmt::format("R.add({}, {})", high, log));
}

Expressions EmitMish(RelaxOp& op) {
  Expressions softplus = EmitSoftplus(op);
  if (!softplus.ok()) return softplus;
  const std::string tanh = op.BindLike(fmt::format("R.tanh({})", op.BindLike(softplus->front())));
  return One(fmt::format("R.multiply({}, {})", op.arg(0), tanh));
}

Expressions EmitSoftsign(RelaxOp& op) {
  const std::string magnitude = op.BindLike(fmt::format("R.abs({})", op.arg(0)));
  const std::string below = op.BindLike(fmt::format("R.add({}, {})", magnitude, op.Const(1)));
  return One(fmt::format("R.divide({}, {})", op.arg(0), below));
}

Expressions EmitReciprocal(RelaxOp& op) {
  return One(fmt::format("R.divide({}, {})", op.Const(1), op.arg(0)));
}

Expressions EmitThresholdedRelu(RelaxOp& op) {
  const std::string above =
      op.bind(fmt::format("R.greater({}, {})", op.arg(0), op.Const(op.Float("alpha"))),
              op.type().WithDType(DType::kBool));
  return One(fmt::format("R.where({}, {}, {})", above, op.arg(0), op.Const(0)));
}

Expressions EmitShrink(RelaxOp& op) {
  if (!IsFloating(op.dtype())) return op.Refuse("the operator takes floating-point operands only");
  const float lambd = op.Float("lambd");
  const float bias = op.Float("bias");
  const Type mask = op.type().WithDType(DType::kBool);
  const std::string below =
      op.bind(fmt::format("R.less({}, {})", op.arg(0), op.Const(-lambd)), mask);
  const std::string above =
      op.bind(fmt::format("R.greater({}, {})", op.arg(0), op.Const(lambd)), mask);
  const std::string raised = op.BindLike(fmt::format("R.add({}, {})", op.arg(0), op.Const(bias)));
  const std::string lowered =
      op.BindLike(fmt::format("R.subtract({}, {})", op.arg(0), op.Const(bias)));
  const std::string rest =
      op.BindLike(fmt::format("R.where({}, {}, {})", above, lowered, op.Const(0)));
  return One(fmt::format("R.where({}, {}, {})", below, raised, rest));
}

// Relax's prelu has one slope an axis; ONNX's broadcasts. So: relu(x) + slope * min(x, 0).
Expressions EmitPRelu(RelaxOp& op) {
  const std::string high = op.BindLike(fmt::format("R.maximum({}, {})", op.arg(0), op.Const(0)));
  const std::string low = op.BindLike(fmt::format("R.minimum({}, {})", op.arg(0), op.Const(0)));
  const std::string scaled = op.BindLike(fmt::format("R.multiply({}, {})", low, op.arg(1)));
  return One(fmt::format("R.add({}, {})", high, scaled));
}

// x * sigmoid(alpha * x)
Expressions EmitSwish(RelaxOp& op) {
  const float alpha = op.Float("alpha");
  if (alpha == 1.0f) return One(fmt::format("R.nn.silu({})", op.arg(0)));
  const std::string scaled =
      op.BindLike(fmt::format("R.multiply({}, {})", op.arg(0), op.Const(alpha)));
  const std::string gate = op.BindLike(fmt::format("R.sigmoid({})", scaled));
  return One(fmt::format("R.multiply({}, {})", op.arg(0), gate));
}

// One at the first greatest element of each row along the axis, else zero.
Expressions EmitHardmax(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::int64_t axis, op.Axis("axis"));
  const Dim& size = shape[static_cast<std::size_t>(axis)];
  Shape row(shape.size(), Dim(1));
  row[static_cast<std::size_t>(axis)] = size;
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(row));
  const std::optional<std::string> count = DimText(size, op.symbols);
  const std::string places =
      op.BindPlain(fmt::format("R.arange(0, {}, 1, dtype=\"int64\")", *count));
  const std::string aligned =
      op.bind(fmt::format("R.reshape({}, {})", places, sizes), Type::Tensor(DType::kI64, row));
  const std::string greatest = op.BindPlain(ExtremePlace(op, true, op.arg(0), axis, true));
  const std::string hit =
      op.bind(fmt::format("R.equal({}, {})", greatest, aligned), op.type().WithDType(DType::kBool));
  return One(fmt::format("R.astype({}, dtype=\"{}\")", hit, RelaxDType(op.dtype())));
}

Expressions EmitSoftmax(RelaxOp& op) {
  const char* name = op.node.op().type == "Softmax" ? "softmax" : "log_softmax";
  return One(fmt::format("R.nn.{}({}, axis={})", name, op.arg(0), op.Int("axis")));
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
      {"LogSoftmax", EmitSoftmax},
      {"Mish", EmitMish},
      {"PRelu", EmitPRelu},
      {"Reciprocal", EmitReciprocal, true},
      {"Relu", EmitRelu},
      {"Selu", EmitSelu},
      {"Shrink", EmitShrink},
      {"Softmax", EmitSoftmax},
      {"Softplus", EmitSoftplus},
      {"Softsign", EmitSoftsign},
      {"Swish", EmitSwish},
      {"ThresholdedRelu", EmitThresholdedRelu},
  };
  return kRows;
}

}  // namespace dragoman::relax

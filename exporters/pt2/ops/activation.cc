// SPDX-License-Identifier: Apache-2.0
// Activations with parameters.
#include "exporters/pt2/ops/op_rows.h"

#include <cmath>

#include "core/ir/dtype_kinds.h"

namespace dragoman::pt2 {
namespace {

Term Sigmoid(const AtenOp& op, const Term& x) { return op.Unary("aten.sigmoid.default", x); }

bool IsNear(double a, double b) { return std::abs(a - b) <= 1e-7 * std::abs(b); }

Emitted EmitGelu(AtenOp& op) {
  const Term x = op.arg(0);
  if (op.String("approximate", "none") != "tanh") return One(op.Unary("aten.gelu.default", x));
  return One(
      op.Call("aten.gelu.default", {{"self", x}, Kw("approximate", "tanh")}, {x.dtype, x.shape}));
}

Emitted EmitHardSigmoid(AtenOp& op) {
  const Term x = op.arg(0);
  const double alpha = op.Float("alpha");
  const double beta = op.Float("beta");
  if (IsNear(alpha, 1.0 / 6) && IsNear(beta, 0.5))
    return One(op.Unary("aten.hardsigmoid.default", x));
  const Term scaled = op.WithNumber("aten.mul.Scalar", x, alpha);
  return One(op.Clamp(op.WithNumber("aten.add.Scalar", scaled, beta), 0, 1));
}

Emitted EmitElu(AtenOp& op) {
  const Term x = op.arg(0);
  return One(
      op.Call("aten.elu.default", {{"self", x}, {"alpha", op.Float("alpha")}}, {x.dtype, x.shape}));
}

Emitted EmitSelu(AtenOp& op) {
  const Term x = op.arg(0);
  return One(op.Call("aten.elu.default",
                     {{"self", x}, {"alpha", op.Float("alpha")}, {"scale", op.Float("gamma")}},
                     {x.dtype, x.shape}));
}

Emitted EmitCelu(AtenOp& op) {
  const Term x = op.arg(0);
  return One(op.Call("aten.celu.default", {{"self", x}, {"alpha", op.Float("alpha")}},
                     {x.dtype, x.shape}));
}

Emitted EmitLeakyRelu(AtenOp& op) {
  const Term x = op.arg(0);
  return One(op.Call("aten.leaky_relu.default",
                     {{"self", x}, {"negative_slope", op.Float("alpha")}}, {x.dtype, x.shape}));
}

// The constant slopes of PRelu as a vector, if they are one, or one for each channel.
std::optional<Term> SlopesOf(const AtenOp& op) {
  const dragoman::Tensor* slopes = op.Known(1);
  if (slopes == nullptr || !IsFloating(op.dtype())) return std::nullopt;
  // Counted from the back, where channels are in the slopes.
  const std::int64_t channels = slopes->rank() - (op.rank() - 1);
  const bool are_channels = op.rank() > 1 && channels >= 0 &&
                            slopes->sizes()[static_cast<std::size_t>(channels)] == slopes->size();
  if (slopes->size() != 1 && !are_channels) return std::nullopt;
  if (slopes->rank() == 1) return op.arg(1);
  return op.graph.MadeParameter(op.node.operand(1)->name(), slopes->Reshaped({slopes->size()}));
}

Emitted EmitPRelu(AtenOp& op) {
  const Term x = op.arg(0);
  if (const std::optional<Term> slopes = SlopesOf(op))
    return One(
        op.Call("aten.prelu.default", {{"self", x}, {"weight", *slopes}}, {x.dtype, x.shape}));
  const Term scaled = op.Binary("aten.mul.Tensor", x, op.arg(1));
  return One(op.Where(op.CompareNumber("aten.lt.Scalar", x, 0), scaled, x));
}

Emitted EmitThresholdedRelu(AtenOp& op) {
  const Term x = op.arg(0);
  return One(op.Call("aten.threshold.default",
                     {{"self", x}, {"threshold", op.Float("alpha")}, {"value", 0.0}},
                     {x.dtype, x.shape}));
}

Emitted EmitSwish(AtenOp& op) {
  const Term x = op.arg(0);
  const double alpha = op.Float("alpha");
  if (alpha == 1) return One(op.Unary("aten.silu.default", x));
  return One(
      op.Binary("aten.mul.Tensor", x, Sigmoid(op, op.WithNumber("aten.mul.Scalar", x, alpha))));
}

Emitted EmitClip(AtenOp& op) {
  const Term x = op.arg(0);
  const std::optional<double> low = op.has(1) ? op.KnownNumber(1, x.rank()) : std::nullopt;
  const std::optional<double> high = op.has(2) ? op.KnownNumber(2, x.rank()) : std::nullopt;
  if (IsWideUnsigned(x.dtype)) return op.Refuse("bounds of unsigned integers of more than 8 bits");
  if (op.has(1) == low.has_value() && op.has(2) == high.has_value())
    return One(op.Clamp(x, low, high));
  Term result = x;
  if (op.has(1)) result = op.Binary("aten.maximum.default", result, op.arg(1));
  if (op.has(2)) result = op.Binary("aten.minimum.default", result, op.arg(2));
  return One(result);
}

Emitted EmitSoftmax(AtenOp& op) {
  const Term x = op.arg(0);
  const bool log = op.node.Is("LogSoftmax");
  return One(op.Call(log ? "aten.log_softmax.int" : "aten.softmax.int",
                     {{"self", x}, {"dim", op.Axis()}}, {x.dtype, x.shape}));
}

// 1 at the first of the largest elements.
Emitted EmitHardmax(AtenOp& op) {
  const Term x = op.arg(0);
  const std::int64_t axis = op.Axis();
  const TermType kept = {DType::kI64, ReducedShape(x.shape, {axis}, true)};
  const Term place =
      op.Call("aten.argmax.default", {{"self", x}, {"dim", axis}, {"keepdim", true}}, kept);
  const Term zeros = op.Unary("aten.zeros_like.default", x);
  return One(op.Call("aten.scatter.value",
                     {{"self", zeros}, {"dim", axis}, {"index", place}, {"value", 1.0}},
                     {x.dtype, x.shape}));
}

}  // namespace

std::span<const Row> ActivationRows() {
  static constexpr Row kRows[] = {
      {"Celu", EmitCelu},
      {"Clip", EmitClip},
      {"Elu", EmitElu},
      {"Gelu", EmitGelu},
      {"HardSigmoid", EmitHardSigmoid},
      {"Hardmax", EmitHardmax},
      {"LeakyRelu", EmitLeakyRelu},
      {"LogSoftmax", EmitSoftmax},
      {"PRelu", EmitPRelu},
      {"Selu", EmitSelu},
      {"Softmax", EmitSoftmax},
      {"Swish", EmitSwish},
      {"ThresholdedRelu", EmitThresholdedRelu},
  };
  return kRows;
}

}  // namespace dragoman::pt2

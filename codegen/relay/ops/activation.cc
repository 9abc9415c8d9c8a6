// SPDX-License-Identifier: Apache-2.0
// Activations, of which Relay has few, in the operand's own element type.
#include "codegen/relay/ops/op_rows.h"

#include "codegen/relay/ops/extreme.h"
#include "codegen/relay/ops/sizes.h"

namespace dragoman::relay::emit {
namespace {

Emitted EmitLeakyRelu(RelayOp& op) {
  return One(op.Do("nn.leaky_relu", {op.arg(0)}, {{"alpha", op.Float("alpha")}}));
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

Emitted EmitSoftmax(RelayOp& op) {
  return One(op.Do(op.target, {op.arg(0)}, {{"axis", op.Int("axis")}}));
}

}  // namespace

std::span<const Row> ActivationRows() {
  static constexpr Row kRows[] = {
      {"Hardmax", EmitHardmax},
      {"LeakyRelu", EmitLeakyRelu},
      // TVM 0.19 has no shape function for it.
      {.label = "LogSoftmax",
       .emit = EmitSoftmax,
       .target = "nn.log_softmax",
       .takes = HasKnownSizes},
      {"Softmax", EmitSoftmax, "nn.softmax"},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit

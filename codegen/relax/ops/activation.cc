// SPDX-License-Identifier: Apache-2.0
// Activations, of which Relax has few, in the operand's own element type.
#include "codegen/relax/ops/op_rows.h"

#include <string>

#include <fmt/format.h>

#include "codegen/relax/ops/extreme.h"
#include "core/ops/declared_attributes.h"

namespace dragoman::relax {
namespace {

Expressions EmitRelu(RelaxOp& op) { return One(fmt::format("R.nn.relu({})", op.arg(0))); }

Expressions EmitLeakyRelu(RelaxOp& op) {
  return One(
      fmt::format("R.nn.leakyrelu({}, alpha={})", op.arg(0), op.FloatArgument(op.Float("alpha"))));
}

Expressions EmitGelu(RelaxOp& op) {
  const bool tanh = op.String("approximate", "none") == "tanh";
  return One(fmt::format("R.nn.{}({})", tanh ? "gelu_tanh" : "gelu", op.arg(0)));
}

Expressions EmitReciprocal(RelaxOp& op) {
  return One(fmt::format("R.divide({}, {})", op.Const(1), op.arg(0)));
}

bool IsSilu(const Node& node) { return FloatAttribute(node, "alpha") == 1.0f; }

Expressions EmitSilu(RelaxOp& op) { return One(fmt::format("R.nn.silu({})", op.arg(0))); }

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
      {"Gelu", EmitGelu},
      {"Hardmax", EmitHardmax},
      {"LeakyRelu", EmitLeakyRelu},
      {"LogSoftmax", EmitSoftmax},
      {"Reciprocal", EmitReciprocal, true},
      {"Relu", EmitRelu},
      {"Softmax", EmitSoftmax},
      {.label = "Swish", .emit = EmitSilu, .takes = IsSilu},
  };
  return kRows;
}

}  // namespace dragoman::relax

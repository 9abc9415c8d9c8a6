// Normalisations, in inference.
#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"

namespace dragoman::relax {
namespace {

std::string Epsilon(const RelaxOp& op) { return PythonFloat(op.Float("epsilon", 1e-5f), false); }

Status EqualElementTypes(const RelaxOp& op) {
  for (std::size_t i = 1; i < op.node.num_operands(); ++i) {
    if (op.has(i) && op.dtype(i) != op.dtype())
      return op.Refuse("scale and bias have another element type");
  }
  return {};
}

Result<std::vector<std::int64_t>> SpatialAxes(const RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  std::vector<std::int64_t> axes;
  for (std::size_t i = 2; i < shape.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

}  // namespace

Expressions EmitBatchNormalization(RelaxOp& op) {
  if (op.Int("training_mode", 0) != 0) return op.Refuse("training mode");
  DRAGOMAN_TRY(EqualElementTypes(op));
  const std::string all = op.bind(
      fmt::format(
          "R.nn.batch_norm({}, {}, {}, {}, {}, axis=1, epsilon={}, center=True, scale=True, "
          "momentum={}, training=False)",
          op.arg(0), op.arg(1), op.arg(2), op.arg(3), op.arg(4), Epsilon(op),
          PythonFloat(1.0f - op.Float("momentum", 0.9f), false)),
      {});
  return std::vector<std::string>{all + "[0]"};
}

Expressions EmitInstanceNormalization(RelaxOp& op) {
  DRAGOMAN_TRY(EqualElementTypes(op));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> axes, SpatialAxes(op));
  return std::vector<std::string>{
      fmt::format("R.nn.instance_norm({}, {}, {}, channel_axis=1, axes={}, epsilon={}, "
                  "center=True, scale=True)",
                  op.arg(0), op.arg(1), op.arg(2), ListText(axes), Epsilon(op))};
}

Expressions EmitGroupNormalization(RelaxOp& op) {
  DRAGOMAN_TRY(EqualElementTypes(op));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> axes, SpatialAxes(op));
  return std::vector<std::string>{fmt::format(
      "R.nn.group_norm({}, {}, {}, num_groups={}, channel_axis=1, axes={}, epsilon={}, "
      "center=True, scale=True)",
      op.arg(0), op.arg(1), op.arg(2), op.Int("num_groups", 1), ListText(axes), Epsilon(op))};
}

Expressions EmitLayerNormalization(RelaxOp& op) {
  if (op.node.result(1) != nullptr || op.node.result(2) != nullptr)
    return op.Refuse("mean and deviation as results");
  DRAGOMAN_TRY(EqualElementTypes(op));
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(Shape scale, op.shape(1));
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::int64_t axis = op.Int("axis", -1);
  if (axis < 0) axis += rank;
  if (static_cast<std::int64_t>(scale.size()) != rank - axis)
    return op.Refuse("scale has another rank than the axes");
  std::vector<std::int64_t> axes;
  for (std::int64_t i = axis; i < rank; ++i) axes.push_back(i);
  std::string bias = op.has(2) ? op.arg(2) : "";
  if (bias.empty()) bias = op.bind(fmt::format("R.zeros_like({})", op.arg(1)), op.type(1));
  return std::vector<std::string>{
      fmt::format("R.nn.layer_norm({}, {}, {}, axes={}, epsilon={}, center=True, scale=True)",
                  op.arg(0), op.arg(1), bias, ListText(axes), Epsilon(op))};
}

}  // namespace dragoman::relax

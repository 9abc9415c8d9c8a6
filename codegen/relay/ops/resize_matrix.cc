// SPDX-License-Identifier: Apache-2.0
// Resize as Relay's own operator cannot say it: along each axis a product with the weights of its
// elements, or the elements themselves where each is a copy of one.
#include "codegen/relay/ops/resize_matrix.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codegen/relay/ops/product.h"
#include "codegen/relay/ops/sizes.h"
#include "core/ir/axes.h"
#include "core/rewrite/resize_weights.h"

namespace dragoman::relay::emit {
namespace {

Status CheckResize(const RelayOp& op, const std::vector<ResizedAxis>& axes) {
  if (op.String("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize")
    return op.Refuse("coordinate_transformation_mode tf_crop_and_resize");
  if (op.String("keep_aspect_ratio_policy", "stretch") != "stretch")
    return op.Refuse("a policy on the aspect ratio");
  const bool is_copy = op.String("mode", "nearest") == "nearest";
  if (!is_copy && !IsFloating(op.dtype())) return op.Refuse("interpolated integers");
  const Tensor* scales = op.has(2) ? op.node.operand(2)->tensor() : nullptr;
  if (!op.has(3) && (scales == nullptr || scales->size() != std::ssize(axes)))
    return op.Refuse("scales that are known at run time only");
  return {};
}

// x, whose sizes are `shape`, summed along `axis` with weights (result, axis).
Result<Value*> Weighted(RelayOp& op, Value* x, Shape& shape, const ResizedAxis& axis,
                        const Tensor& weights) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  Ints order = AxesFrom(0, rank), back = order;
  std::rotate(order.begin() + axis.axis, order.begin() + axis.axis + 1, order.end());
  std::rotate(back.begin() + axis.axis, back.end() - 1, back.end());
  const bool is_last = axis.axis + 1 == rank;
  Shape rows = shape;
  std::rotate(rows.begin() + axis.axis, rows.begin() + axis.axis + 1, rows.end());
  Shape result = rows;
  result.back() = axis.to;
  Value* matrix = op.builder.Constant(weights);
  DRAGOMAN_ASSIGN(
      Value * y,
      ProductOfRows(op, is_last ? x : Transpose(op, x, order), rows, result, [&](Value* flat) {
        return op.Do("nn.dense", {flat, matrix}, {{"units", Attribute()}});
      }));
  shape[static_cast<std::size_t>(axis.axis)] = axis.to;
  return is_last ? y : Transpose(op, y, back);
}

}  // namespace

Emitted EmitResizeByMatrix(RelayOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(const Shape to, op.result_shape());
  const std::vector<ResizedAxis> axes = ResizedAxesOf(op.node, shape, to);
  DRAGOMAN_TRY(CheckResize(op, axes));
  const bool is_copy = op.String("mode", "nearest") == "nearest";
  const DType compute = is_copy || op.dtype() == DType::kF64 ? op.dtype() : DType::kF32;
  Value* y = op.ArgAs(0, compute);
  for (const ResizedAxis& axis : axes) {
    const bool stays = op.has(3) ? Equal(axis.from, axis.to) == Truth::kYes
                                 : op.node.operand(2)->tensor()->FloatAt(axis.entry) == 1;
    if (stays) continue;
    DRAGOMAN_TRY(op.KnownSizes({axis.from, axis.to}));
    if (TakesTooManyWeights(axis, is_copy))
      return op.Refuse(fmt::format("a resize of axis {}, which takes too many weights", axis.axis));
    if (is_copy) {
      DRAGOMAN_ASSIGN(const Ints places, ResizePlaces(op.node, axis));
      y = op.Do("take", {y, op.IntVector(places)}, {{"axis", axis.axis}, {"mode", "fast"}});
      shape[static_cast<std::size_t>(axis.axis)] = axis.to;
      continue;
    }
    DRAGOMAN_ASSIGN(const Tensor weights, ResizeWeights(op.node, axis, compute));
    DRAGOMAN_ASSIGN(y, Weighted(op, y, shape, axis, weights));
  }
  y = op.Cast(y, compute, op.dtype());
  return One(y == op.arg(0) ? op.Do("copy", {y}) : y);
}

}  // namespace dragoman::relay::emit

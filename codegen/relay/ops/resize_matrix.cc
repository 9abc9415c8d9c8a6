// SPDX-License-Identifier: Apache-2.0
// Resize as Relay's own operator cannot say it: along each axis a product with the weights of its
// elements, or the elements themselves where each is a copy of one.
#include "codegen/relay/ops/resize_matrix.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codegen/relay/ops/product.h"
#include "codegen/relay/ops/sizes.h"
#include "core/interpreter/evaluate.h"

namespace dragoman::relay::emit {
namespace {

// Of one axis; sizes, and so weights, may be any that a file claims.
constexpr std::int64_t kMostWeights = std::int64_t{1} << 26;

struct ResizedAxis {
  std::int64_t axis = 0;
  std::int64_t entry = 0;  // of scales and sizes
  Dim from, to;
};

std::vector<ResizedAxis> AxesOf(const RelayOp& op, const Shape& from, const Shape& to) {
  const auto rank = static_cast<std::int64_t>(from.size());
  Ints named = op.Ints("axes");
  if (named.empty()) named = AxesFrom(0, rank);
  std::vector<ResizedAxis> axes;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::int64_t axis = named[i] < 0 ? named[i] + rank : named[i];
    const auto at = static_cast<std::size_t>(axis);
    axes.push_back({axis, static_cast<std::int64_t>(i), from[at], to[at]});
  }
  return axes;
}

template <class T>
Tensor UnitMatrix(std::int64_t count) {
  std::vector<T> numbers(static_cast<std::size_t>(count * count));
  for (std::int64_t i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i * (count + 1))] = 1;
  return Tensor::Of<T>({count, count}, numbers);
}

// What the Resize makes of `x` along its first axis, as it does along `axis`: the resize is linear,
// so that the unit matrix gives the weights.
Result<Tensor> Resized(const RelayOp& op, const ResizedAxis& axis, const Tensor& x) {
  const bool by_sizes = op.has(3);
  Tensor extent = Tensor::Ints(Ints{by_sizes ? axis.to.value() : 0});
  if (!by_sizes) {
    const float scale = static_cast<float>(op.node.operand(2)->tensor()->FloatAt(axis.entry));
    extent = Tensor::Of<float>({1}, {{scale}});
  }
  Graph scratch;
  Shape sizes;
  for (const std::int64_t size : x.sizes()) sizes.emplace_back(size);
  Value* input = scratch.AddInput("x", Type::Tensor(x.dtype(), std::move(sizes)));
  Value* wanted = scratch.AddInput("wanted", Type::Tensor(extent.dtype(), Shape{Dim(1)}));
  std::vector<Value*> operands = {input, nullptr, by_sizes ? nullptr : wanted};
  if (by_sizes) operands.push_back(wanted);
  Node* resize = scratch.Append(InternOp("onnx", "Resize"), operands);
  for (const NamedAttribute& attribute : op.node.attributes())
    resize->SetAttribute(attribute.name, attribute.value);
  resize->SetAttribute("axes", Ints{0});
  resize->AddResult("y");
  std::vector<const Tensor*> tensors = {&x, nullptr, by_sizes ? nullptr : &extent};
  if (by_sizes) tensors.push_back(&extent);
  DRAGOMAN_ASSIGN(std::vector<Tensor> results, EvaluateOnTensors(*resize, tensors));
  return std::move(results.front());
}

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
  const std::vector<ResizedAxis> axes = AxesOf(op, shape, to);
  DRAGOMAN_TRY(CheckResize(op, axes));
  const bool is_copy = op.String("mode", "nearest") == "nearest";
  const DType compute = is_copy || op.dtype() == DType::kF64 ? op.dtype() : DType::kF32;
  Value* y = op.ArgAs(0, compute);
  for (const ResizedAxis& axis : axes) {
    const bool stays = op.has(3) ? Equal(axis.from, axis.to) == Truth::kYes
                                 : op.node.operand(2)->tensor()->FloatAt(axis.entry) == 1;
    if (stays) continue;
    DRAGOMAN_TRY(op.KnownSizes({axis.from, axis.to}));
    const std::int64_t count = axis.from.value();
    const std::int64_t per_element = is_copy ? 1 : std::max<std::int64_t>(count, 1);
    if (std::max(count, axis.to.value()) > kMostWeights / per_element)
      return op.Refuse(fmt::format("a resize of axis {}, which takes too many weights", axis.axis));
    if (is_copy) {
      DRAGOMAN_ASSIGN(const Tensor places, Resized(op, axis, Tensor::Ints(AxesFrom(0, count))));
      y = op.Do("take", {y, op.IntVector(places.ToInts())},
                {{"axis", axis.axis}, {"mode", "fast"}});
      shape[static_cast<std::size_t>(axis.axis)] = axis.to;
      continue;
    }
    DRAGOMAN_ASSIGN(
        const Tensor weights,
        Resized(op, axis,
                compute == DType::kF64 ? UnitMatrix<double>(count) : UnitMatrix<float>(count)));
    DRAGOMAN_ASSIGN(y, Weighted(op, y, shape, axis, weights));
  }
  y = op.Cast(y, compute, op.dtype());
  return One(y == op.arg(0) ? op.Do("copy", {y}) : y);
}

}  // namespace dragoman::relay::emit

// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/aten_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/analysis/size_advice.h"
#include "core/ir/axes.h"
#include "core/ir/node_attributes.h"
#include "core/ops/declared_attributes.h"

namespace dragoman::pt2 {

ArgumentValue NumberFor(double value, DType dtype) {
  if (dtype == DType::kBool) return value != 0;
  if (IsInteger(dtype)) return static_cast<std::int64_t>(value);
  return value;
}

Shape BroadcastShape(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape shape = longer;
  const std::size_t lead = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i)
    shape[lead + i] = Broadcast(longer[lead + i], shorter[i]);
  return shape;
}

Shape ReducedShape(const Shape& shape, const Ints& axes, bool keepdims) {
  Shape reduced;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool goes = std::ranges::count(axes, static_cast<std::int64_t>(i)) > 0;
    if (!goes) reduced.push_back(shape[i]);
    if (goes && keepdims) reduced.emplace_back(1);
  }
  return reduced;
}

TermType AtenOp::result(std::size_t i) const {
  const Type& type = node.result(i)->type();
  return {type.dtype(), type.shape() != nullptr ? *type.shape() : Shape()};
}

std::int64_t AtenOp::result_rank(std::size_t i) const {
  return static_cast<std::int64_t>(result(i).shape.size());
}

std::int64_t AtenOp::Int(std::string_view name) const { return IntAttribute(node, name); }

double AtenOp::Float(std::string_view name) const { return FloatAttribute(node, name); }

std::string AtenOp::String(std::string_view name, std::string_view absent) const {
  return TextAttribute(node, name, absent);
}

Ints AtenOp::IntList(std::string_view name) const {
  const Attribute::Ints* found = IntsAttribute(node, name);
  return found != nullptr ? *found : Ints();
}

Ints AtenOp::IntsOr(std::string_view name, std::int64_t count, std::int64_t absent) const {
  Ints ints = IntList(name);
  if (ints.empty()) ints.assign(static_cast<std::size_t>(count), absent);
  return ints;
}

std::int64_t AtenOp::Axis(std::string_view name) const {
  const std::int64_t axis = Int(name);
  return axis < 0 ? axis + rank() : axis;
}

Result<Ints> AtenOp::KnownInts(std::size_t i) const {
  std::optional<Ints> ints = inference.KnownInts(node.operand(i));
  if (!ints && Known(i) != nullptr) ints = Known(i)->ToInts();
  if (!ints) return Refuse(fmt::format("operand {} is known at run time only", i));
  return *ints;
}

const dragoman::Tensor* AtenOp::Known(std::size_t i) const {
  return has(i) ? node.operand(i)->tensor() : nullptr;
}

std::optional<double> AtenOp::KnownNumber(std::size_t i, std::int64_t rank) const {
  const dragoman::Tensor* tensor = Known(i);
  if (tensor == nullptr || tensor->size() != 1 || tensor->rank() > rank) return std::nullopt;
  const DType dtype = tensor->dtype();
  if (dtype == DType::kBool || !(IsFloating(dtype) || IsInteger(dtype)) || Info(dtype).bits < 8)
    return std::nullopt;
  if (!IsInteger(dtype)) return tensor->FloatAt(0);
  const std::int64_t number = tensor->IntAt(0);
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (number < -kExact || number > kExact) return std::nullopt;
  return static_cast<double>(number);
}

Result<Sizes> AtenOp::SizesOf(const Shape& shape) const {
  std::optional<Sizes> sizes = graph.SizesOf(shape);
  if (!sizes) return Refuse("a size is known at run time only");
  return *std::move(sizes);
}

Item AtenOp::ItemAt(const Term& ints, std::int64_t i) const {
  return graph.ItemOf(ints.rank() == 0 ? ints : Select(ints, 0, i));
}

Term AtenOp::Unary(std::string_view target, const Term& x) const {
  return Call(target, {{"self", x}}, {x.dtype, x.shape});
}

Term AtenOp::Binary(std::string_view target, const Term& x, const Term& y) const {
  return Call(target, {{"self", x}, {"other", y}}, {x.dtype, BroadcastShape(x.shape, y.shape)});
}

Term AtenOp::Compare(std::string_view target, const Term& x, const Term& y) const {
  return Call(target, {{"self", x}, {"other", y}},
              {DType::kBool, BroadcastShape(x.shape, y.shape)});
}

Term AtenOp::WithNumber(std::string_view target, const Term& x, double other) const {
  return Call(target, {{"self", x}, {"other", NumberFor(other, x.dtype)}}, {x.dtype, x.shape});
}

Term AtenOp::CompareNumber(std::string_view target, const Term& x, double other) const {
  return Call(target, {{"self", x}, {"other", NumberFor(other, x.dtype)}}, {DType::kBool, x.shape});
}

Term AtenOp::Where(const Term& condition, const Term& x, const Term& y) const {
  return Call("aten.where.self", {{"condition", condition}, {"self", x}, {"other", y}},
              {x.dtype, BroadcastShape(condition.shape, BroadcastShape(x.shape, y.shape))});
}

Term AtenOp::Cast(const Term& x, DType dtype) const {
  if (x.dtype == dtype) return x;
  return Call("aten.to.dtype", {{"self", x}, {"dtype", dtype}}, {dtype, x.shape});
}

Term AtenOp::Clamp(const Term& x, std::optional<double> low, std::optional<double> high) const {
  if (!low && !high) return x;
  Arguments arguments = {{"self", x}};
  arguments.push_back(low ? Argument{"min", NumberFor(*low, x.dtype)} : Argument{"min", kNone});
  if (high) arguments.push_back({"max", NumberFor(*high, x.dtype)});
  return Call("aten.clamp.default", arguments, {x.dtype, x.shape});
}

Term AtenOp::Reshape(const Term& x, const Sizes& sizes, Shape shape) const {
  return Call("aten.reshape.default", {{"self", x}, {"shape", sizes}}, {x.dtype, std::move(shape)});
}

Result<Term> AtenOp::Reshape(const Term& x, const Shape& shape) const {
  DRAGOMAN_ASSIGN(const Sizes sizes, SizesOf(shape));
  return Reshape(x, sizes, shape);
}

Term AtenOp::Permute(const Term& x, const Ints& order) const {
  if (std::ranges::is_sorted(order)) return x;
  if (const std::optional<Permuted> made = graph.FindPermuted(x)) {
    Ints whole;
    for (std::int64_t axis : order) whole.push_back(made->order[static_cast<std::size_t>(axis)]);
    return Permute(made->from, whole);
  }
  Shape shape;
  for (std::int64_t axis : order) shape.push_back(x.shape[static_cast<std::size_t>(axis)]);
  Term result =
      Call("aten.permute.default", {{"self", x}, {"dims", order}}, {x.dtype, std::move(shape)});
  graph.RecordPermuted(result, {x, order});
  return result;
}

Term AtenOp::SwapAxes(const Term& x, std::int64_t a, std::int64_t b) const {
  if (graph.FindPermuted(x)) {
    Ints order = AxesFrom(0, x.rank());
    std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
    return Permute(x, order);
  }
  Shape shape = x.shape;
  std::swap(shape[static_cast<std::size_t>(a)], shape[static_cast<std::size_t>(b)]);
  return Call("aten.transpose.int", {{"self", x}, {"dim0", a}, {"dim1", b}},
              {x.dtype, std::move(shape)});
}

Term AtenOp::Unsqueeze(const Term& x, std::int64_t axis) const {
  Shape shape = x.shape;
  shape.insert(shape.begin() + axis, Dim(1));
  Term result =
      Call("aten.unsqueeze.default", {{"self", x}, {"dim", axis}}, {x.dtype, std::move(shape)});
  graph.RecordUnsqueezed(result, {x, axis});
  return result;
}

Term AtenOp::Squeeze(const Term& x, std::int64_t axis) const {
  if (const std::optional<Unsqueezed> made = graph.FindUnsqueezed(x)) {
    if (made->axis == axis) return made->from;
    const std::int64_t passed = made->axis < axis ? 1 : 0;
    return Unsqueeze(Squeeze(made->from, axis - passed), made->axis - (1 - passed));
  }
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  return Call("aten.squeeze.dim", {{"self", x}, {"dim", axis}}, {x.dtype, std::move(shape)});
}

Term AtenOp::Select(const Term& x, std::int64_t axis, std::int64_t index) const {
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  return Call("aten.select.int", {{"self", x}, {"dim", axis}, {"index", index}},
              {x.dtype, std::move(shape)});
}

Term AtenOp::Slice(const Term& x, std::int64_t axis, const Size& begin, const Size& end,
                   const Dim& size) const {
  Shape shape = x.shape;
  shape[static_cast<std::size_t>(axis)] = size;
  return Call("aten.slice.Tensor", {{"self", x}, {"dim", axis}, {"start", begin}, {"end", end}},
              {x.dtype, std::move(shape)});
}

Term AtenOp::Concat(const Terms& parts, std::int64_t axis) const {
  if (parts.size() == 1) return parts.front();
  Shape shape = parts.front().shape;
  Dim& size = shape[static_cast<std::size_t>(axis)];
  for (std::size_t i = 1; i < parts.size(); ++i)
    size = size + parts[i].shape[static_cast<std::size_t>(axis)];
  return Call("aten.cat.default", {{"tensors", parts}, {"dim", axis}},
              {parts.front().dtype, std::move(shape)});
}

Result<Term> AtenOp::Expand(const Term& x, const Shape& shape) const {
  if (x.shape == shape) return x;
  DRAGOMAN_ASSIGN(const Sizes sizes, SizesOf(shape));
  return Call("aten.expand.default", {{"self", x}, {"size", sizes}}, {x.dtype, shape});
}

Term AtenOp::Flip(const Term& x, const Ints& axes) const {
  return Call("aten.flip.default", {{"self", x}, {"dims", axes}}, {x.dtype, x.shape});
}

Term AtenOp::Sum(const Term& x, const Ints& axes, bool keepdims) const {
  if (axes.empty()) return x;
  Arguments arguments = {{"self", x}, {"dim", axes}, {"keepdim", keepdims}};
  // Sums of narrow integers would be int64.
  if (!IsFloating(x.dtype)) arguments.push_back(Kw("dtype", x.dtype));
  return Call("aten.sum.dim_IntList", arguments, {x.dtype, ReducedShape(x.shape, axes, keepdims)});
}

Term AtenOp::Mean(const Term& x, const Ints& axes, bool keepdims) const {
  if (axes.empty()) return x;
  return Call("aten.mean.dim", {{"self", x}, {"dim", axes}, {"keepdim", keepdims}},
              {x.dtype, ReducedShape(x.shape, axes, keepdims)});
}

Term AtenOp::Extreme(bool max, const Term& x, const Ints& axes, bool keepdims) const {
  if (axes.empty()) return x;
  return Call(max ? "aten.amax.default" : "aten.amin.default",
              {{"self", x}, {"dim", axes}, {"keepdim", keepdims}},
              {x.dtype, ReducedShape(x.shape, axes, keepdims)});
}

Result<Term> AtenOp::Full(const Shape& shape, double value, DType dtype) const {
  DRAGOMAN_ASSIGN(const Sizes sizes, SizesOf(shape));
  return Call("aten.full.default",
              {{"size", sizes}, {"fill_value", NumberFor(value, dtype)}, Kw("dtype", dtype)},
              {dtype, shape});
}

Term AtenOp::Arange(const Size& end, const Dim& size, DType dtype) const {
  return Call("aten.arange.default", {{"end", end}, Kw("dtype", dtype)}, {dtype, {size}});
}

Term AtenOp::Scalar(double value, DType dtype) const {
  return Call("aten.full.default",
              {{"size", Ints()}, {"fill_value", NumberFor(value, dtype)}, Kw("dtype", dtype)},
              {dtype, {}});
}

Error AtenOp::Refuse(std::string_view why) const {
  return Unsupported("PyTorch cannot express it: " + WithSizeAdvice(why, node)).At(node.Describe());
}

}  // namespace dragoman::pt2

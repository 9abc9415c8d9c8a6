// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/strided_view.h"

#include <algorithm>
#include <numeric>

#include "codegen/onednn/plan/value_queries.h"
#include "core/ir/node_attributes.h"
#include "core/ir/type.h"
#include "core/ops/declared_attributes.h"

namespace dragoman::onednn {
namespace {

using Ints = std::vector<std::int64_t>;

// Of a value whose sizes are numbers or have names.
std::optional<Shape> NamedSizes(const Value* value) {
  const Shape* shape = value != nullptr ? value->type().shape() : nullptr;
  const bool named = shape != nullptr && std::ranges::none_of(*shape, &Dim::unknown);
  return named ? std::optional(*shape) : std::nullopt;
}

std::optional<Ints> ConstantInts(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr || tensor->dtype() != DType::kI64) return std::nullopt;
  Ints ints;
  for (std::int64_t i = 0; i < tensor->size(); ++i) ints.push_back(tensor->IntAt(i));
  return ints;
}

// a / b, if b divides a whatever the sizes are. Where a size is 0, nothing is read.
std::optional<Dim> Quotient(const Dim& a, const Dim& b) {
  if (IsSame(a, b)) return Dim(1);
  Dim quotient = FloorDiv(a, b);
  const bool exact = !quotient.unknown() && IsSame(quotient * b, a);
  return exact ? std::optional(std::move(quotient)) : std::nullopt;
}

// The one of them that divides the other. Numbers need not divide each other yet.
std::optional<Dim> Smaller(const Dim& a, const Dim& b) {
  if (a.known() && b.known()) return Dim(std::min(a.value(), b.value()));
  if (Quotient(a, b)) return b;
  return Quotient(b, a) ? std::optional(a) : std::nullopt;
}

StridedAxis PlainAxis(const Dim& size, const Dim& stride) {
  return IsUnit(size) ? StridedAxis() : StridedAxis{{size, stride}};
}

// Pieces of all axes, those that continue each other joined.
StridedAxis Pieces(const std::vector<StridedAxis>& axes) {
  StridedAxis pieces;
  for (const StridedAxis& axis : axes) {
    for (const StridedPiece& piece : axis) {
      if (!pieces.empty() && IsSame(pieces.back().stride, piece.size * piece.stride)) {
        pieces.back() = {pieces.back().size * piece.size, piece.stride};
      } else {
        pieces.push_back(piece);
      }
    }
  }
  return pieces;
}

// Takes the innermost `size` elements off `pieces`.
std::optional<StridedAxis> TakeAxis(StridedAxis& pieces, Dim size) {
  StridedAxis axis;
  while (!IsUnit(size)) {
    if (pieces.empty()) return std::nullopt;
    StridedPiece& last = pieces.back();
    if (const std::optional<Dim> rest = Quotient(size, last.size)) {
      axis.insert(axis.begin(), last);
      size = *rest;
      pieces.pop_back();
    } else if (const std::optional<Dim> left = Quotient(last.size, size)) {
      axis.insert(axis.begin(), {size, last.stride});
      last = {*left, last.stride * size};
      size = 1;
    } else {
      return std::nullopt;
    }
  }
  return axis;
}

bool Reshape(StridedView& view, const Shape& sizes) {
  StridedAxis pieces = Pieces(view.axes);
  std::vector<StridedAxis> axes(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0;) {
    std::optional<StridedAxis> axis = TakeAxis(pieces, sizes[i]);
    if (!axis) return false;
    axes[i] = std::move(*axis);
  }
  view.axes = std::move(axes);
  return pieces.empty();
}

bool Transpose(const Node& node, StridedView& view) {
  const Attribute::Ints* order = IntsAttribute(node, "perm");
  std::vector<StridedAxis> axes(view.axes.rbegin(), view.axes.rend());
  for (std::size_t i = 0; order != nullptr && i < axes.size(); ++i)
    axes[i] = view.axes[static_cast<std::size_t>((*order)[i])];
  view.axes = std::move(axes);
  return true;
}

bool Expand(const Shape& from, const Shape& to, StridedView& view) {
  if (to.size() < from.size()) return false;
  const std::size_t added = to.size() - from.size();
  std::vector<StridedAxis> axes(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool kept = i >= added && IsSame(from[i - added], to[i]);
    if (!kept && i >= added && !IsUnit(from[i - added])) return false;
    axes[i] = kept ? view.axes[i - added] : PlainAxis(to[i], 0);
  }
  view.axes = std::move(axes);
  return true;
}

std::optional<std::size_t> AxisOf(std::int64_t axis, std::size_t rank) {
  const std::int64_t positive = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  if (positive < 0 || positive >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return static_cast<std::size_t>(positive);
}

// `size` elements of an axis, from `start`, every `step`-th.
bool Cut(StridedView& view, std::size_t axis, const Dim& start, std::int64_t step,
         const Dim& size) {
  StridedAxis& pieces = view.axes[axis];
  if (pieces.size() > 1) return false;
  const Dim stride = pieces.empty() ? Dim(0) : pieces.front().stride;
  view.offset = view.offset + start * stride;
  pieces = PlainAxis(size, stride * Dim(step));
  return !view.offset.unknown();
}

// Where parts of an axis begin whose size is known at run time only, is checked then.
bool Split(const Node& node, const Value& result, const Shape& from, const Shape& sizes,
           StridedView& view) {
  const std::optional<std::size_t> axis = AxisOf(IntAttribute(node, "axis"), sizes.size());
  if (!axis || !from[*axis].known()) return false;
  Dim start = 0;
  for (std::size_t i = 0; i < result.index(); ++i) {
    const std::optional<Shape> before = NamedSizes(node.result(i));
    if (!before) return false;
    start = start + (*before)[*axis];
  }
  return start.known() && sizes[*axis].known() && Cut(view, *axis, start, 1, sizes[*axis]);
}

bool Slice(const Node& node, const Shape& from, const Shape& to, StridedView& view) {
  const std::optional<Ints> starts = ConstantInts(node.operand(1));
  std::optional<Ints> axes = ConstantInts(node.operand(3)), steps = ConstantInts(node.operand(4));
  if (!starts || (node.operand(3) != nullptr && !axes) || (node.operand(4) != nullptr && !steps))
    return false;
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps) steps.emplace(starts->size(), 1);
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const std::optional<std::size_t> axis = AxisOf((*axes)[i], from.size());
    if (!axis || (*steps)[i] < 1) return false;
    const Dim& size = from[*axis];
    const Dim start = (*starts)[i] < 0 ? Max(Dim((*starts)[i]) + size, 0) : Dim((*starts)[i]);
    // After an end that is known at run time only nothing is read.
    const bool outside = size.known() && start.known() && start.value() >= size.value();
    if (outside || !Cut(view, *axis, start, (*steps)[i], to[*axis])) return false;
  }
  return true;
}

// Of an axis whose size is a number: whether an index fits another one is for the run to check.
bool TakeIndex(const Node& node, const Shape& from, StridedView& view) {
  const Tensor* index = ConstantOf(node.operand(1));
  const std::optional<std::size_t> axis = AxisOf(IntAttribute(node, "axis"), from.size());
  if (index == nullptr || index->dtype() != DType::kI64 || !axis || !from[*axis].known())
    return false;
  const Shape* shape = node.operand(1)->type().shape();
  if (shape == nullptr || !shape->empty()) return false;
  const std::int64_t size = from[*axis].value(), given = index->IntAt(0);
  const std::int64_t start = given < 0 ? given + size : given;
  if (start < 0 || start >= size || !Cut(view, *axis, start, 1, 1)) return false;
  view.axes.erase(view.axes.begin() + static_cast<std::ptrdiff_t>(*axis));
  return true;
}

// By name: what ScaledOperand reads, and Apply below it.
bool Scales(const Node& node) { return node.Is("Mul") || node.Is("Div") || node.Is("Neg"); }

bool Passes(const Node& node) {
  constexpr std::string_view kTypes[] = {"Transpose", "Reshape", "Squeeze", "Unsqueeze",
                                         "Flatten",   "Expand",  "Split",   "Slice",
                                         "Gather",    "Mul",     "Div",     "Neg"};
  return std::ranges::any_of(kTypes, [&](std::string_view type) { return node.Is(type); });
}

// The operand of which `node` gives a view, if it may.
const Value* SourceOf(const Node& node) {
  if (!Passes(node)) return nullptr;
  if (!Scales(node)) return node.operand(0);
  const std::optional<ScaledValue> scaled = ScaledOperand(node);
  return scaled ? scaled->value : nullptr;
}

// Makes the view of an operand one of `result`.
bool Apply(const Value& result, StridedView& view) {
  const Node& node = *result.producer();
  const std::optional<Shape> from = NamedSizes(SourceOf(node)), to = NamedSizes(&result);
  if (!from || !to) return false;
  if (Scales(node)) {
    view.scale *= ScaledOperand(node)->factor;
    return true;
  }
  if (node.Is("Transpose")) return Transpose(node, view);
  if (node.Is("Expand")) return Expand(*from, *to, view);
  if (node.Is("Split")) return Split(node, result, *from, *to, view);
  if (node.Is("Slice")) return Slice(node, *from, *to, view);
  if (node.Is("Gather")) return TakeIndex(node, *from, view);
  return Reshape(view, *to);
}

}  // namespace

std::optional<ScaledValue> ScaledOperand(const Node& node) {
  if (node.Is("Neg")) return ScaledValue{node.operand(0), -1.0};
  const bool divides = node.Is("Div");
  if (!divides && !node.Is("Mul")) return std::nullopt;
  for (std::size_t i = 0; i < (divides ? 1 : 2); ++i) {
    const Value* value = node.operand(i);
    const std::optional<float> number = ScalarOf(node.operand(1 - i));
    if (!number || !SameShape(*value, *node.result())) continue;
    return ScaledValue{value, divides ? 1.0 / *number : double{*number}};
  }
  return std::nullopt;
}

StridedView WholeView(const Value& value) {
  const Shape& sizes = *value.type().shape();
  StridedView view{&value, 0, std::vector<StridedAxis>(sizes.size()), 1.0};
  Dim stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    view.axes[i] = PlainAxis(sizes[i], stride);
    stride = stride * sizes[i];
  }
  return view;
}

std::optional<StridedView> Repeated(const Value& value, const Shape& wide, const Shape& sizes) {
  StridedView view = WholeView(value);
  const bool fits = Expand(*value.type().shape(), wide, view) && Reshape(view, sizes);
  return fits ? std::optional(std::move(view)) : std::nullopt;
}

std::optional<std::int64_t> PlaceInOperand(const Value& result) {
  const Node& node = *result.producer();
  if (!node.Is("Split") && !node.Is("Slice") && !node.Is("Gather")) return std::nullopt;
  if (!NamedSizes(node.operand(0)) || !NamedSizes(&result)) return std::nullopt;
  StridedView view = WholeView(*node.operand(0));
  const bool lies =
      Apply(result, view) && view.offset.known() && view.axes == WholeView(result).axes;
  return lies ? std::optional(view.offset.value()) : std::nullopt;
}

StridedView ViewOf(const Value& value) {
  std::vector<const Value*> chain = {&value};
  while (const Node* node = chain.back()->producer()) {
    const Value* source = SourceOf(*node);
    const bool fits = source != nullptr && node->graph() == value.graph() &&
                      source->graph() == value.graph() && !source->is_constant() &&
                      NamedSizes(source);
    if (!fits) break;
    chain.push_back(source);
  }
  StridedView view = WholeView(*chain.back());
  for (std::size_t i = chain.size() - 1; i-- > 0;) {
    if (!Apply(*chain[i], view)) view = WholeView(*chain[i]);
  }
  return view;
}

std::optional<std::vector<CommonPiece>> CutTogether(Dim size, std::span<const StridedAxis> axes) {
  std::vector<StridedAxis> rest(axes.begin(), axes.end());
  for (StridedAxis& axis : rest) {
    if (axis.empty()) axis = {{size, 0}};
  }
  std::vector<CommonPiece> common;
  while (!IsUnit(size)) {
    std::optional<Dim> taken = size;
    for (const StridedAxis& axis : rest) {
      taken = Smaller(*taken, axis.back().size);
      if (!taken) return std::nullopt;
    }
    const std::optional<Dim> outer = Quotient(size, *taken);
    if (IsUnit(*taken) || !outer) return std::nullopt;
    CommonPiece piece{*taken, {}};
    for (StridedAxis& axis : rest) {
      StridedPiece& last = axis.back();
      const std::optional<Dim> left = Quotient(last.size, *taken);
      if (!left) return std::nullopt;
      piece.strides.push_back(last.stride);
      last = {*left, last.stride * *taken};
      if (IsUnit(*left) && axis.size() > 1) axis.pop_back();
    }
    common.insert(common.begin(), std::move(piece));
    size = *outer;
  }
  const bool all = std::ranges::all_of(
      rest, [](const StridedAxis& axis) { return axis.size() == 1 && IsUnit(axis.back().size); });
  return all ? std::optional(std::move(common)) : std::nullopt;
}

std::optional<CommonBatch> CutBatch(std::span<const Dim> batch,
                                    std::span<const std::vector<StridedAxis>> views) {
  CommonBatch common;
  common.strides.resize(views.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    std::vector<StridedAxis> axes;
    for (const std::vector<StridedAxis>& view : views) {
      const std::size_t missing = batch.size() - view.size();
      axes.push_back(i < missing ? StridedAxis() : view[i - missing]);
    }
    const std::optional<std::vector<CommonPiece>> pieces = CutTogether(batch[i], axes);
    if (!pieces || common.sizes.size() + pieces->size() > std::size_t{rt::kMaxRank})
      return std::nullopt;
    for (const CommonPiece& piece : *pieces) {
      common.sizes.push_back(piece.size);
      for (std::size_t j = 0; j < views.size(); ++j) common.strides[j].push_back(piece.strides[j]);
    }
  }
  return common;
}

bool HasSizes(const Value* value, DType dtype) {
  const std::optional<Shape> sizes = NamedSizes(value);
  return sizes && value->type().dtype() == dtype &&
         std::ranges::none_of(*sizes, [](const Dim& d) { return d.known() && d.value() == 0; });
}

bool IsSame(const Dim& a, const Dim& b) { return Equal(a, b) == Truth::kYes; }

bool IsUnit(const Dim& d) { return d.known() && d.value() == 1; }

}  // namespace dragoman::onednn

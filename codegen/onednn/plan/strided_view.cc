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

using Sizes = std::vector<std::int64_t>;

std::optional<Sizes> KnownSizes(const Value* value) {
  const Shape* shape = value != nullptr ? value->type().shape() : nullptr;
  return shape != nullptr ? KnownShape(*shape) : std::nullopt;
}

std::optional<Sizes> ConstantInts(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr || tensor->dtype() != DType::kI64) return std::nullopt;
  Sizes ints;
  for (std::int64_t i = 0; i < tensor->size(); ++i) ints.push_back(tensor->IntAt(i));
  return ints;
}

StridedAxis PlainAxis(std::int64_t size, std::int64_t stride) {
  return size == 1 ? StridedAxis() : StridedAxis{{size, stride}};
}

StridedView Whole(const Value& value, const Sizes& sizes) {
  StridedView view{&value, 0, std::vector<StridedAxis>(sizes.size()), 1.0};
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    view.axes[i] = PlainAxis(sizes[i], stride);
    stride *= sizes[i];
  }
  return view;
}

// Pieces of all axes, those that continue each other joined.
StridedAxis Pieces(const std::vector<StridedAxis>& axes) {
  StridedAxis pieces;
  for (const StridedAxis& axis : axes) {
    for (const StridedPiece& piece : axis) {
      if (!pieces.empty() && pieces.back().stride == piece.size * piece.stride) {
        pieces.back() = {pieces.back().size * piece.size, piece.stride};
      } else {
        pieces.push_back(piece);
      }
    }
  }
  return pieces;
}

// Takes the innermost `size` elements off `pieces`.
std::optional<StridedAxis> TakeAxis(StridedAxis& pieces, std::int64_t size) {
  StridedAxis axis;
  while (size > 1) {
    if (pieces.empty()) return std::nullopt;
    StridedPiece& last = pieces.back();
    const std::int64_t taken = std::min(last.size, size);
    if (size % taken != 0 || last.size % taken != 0) return std::nullopt;
    axis.insert(axis.begin(), {taken, last.stride});
    size /= taken;
    last = {last.size / taken, last.stride * taken};
    if (last.size == 1) pieces.pop_back();
  }
  return axis;
}

bool Reshape(StridedView& view, const Sizes& sizes) {
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

bool Expand(const Sizes& from, const Sizes& to, StridedView& view) {
  if (to.size() < from.size()) return false;
  const std::size_t added = to.size() - from.size();
  std::vector<StridedAxis> axes(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool kept = i >= added && from[i - added] == to[i];
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
bool Cut(StridedView& view, std::size_t axis, std::int64_t start, std::int64_t step,
         std::int64_t size) {
  StridedAxis& pieces = view.axes[axis];
  if (pieces.size() > 1) return false;
  const std::int64_t stride = pieces.empty() ? 0 : pieces.front().stride;
  view.offset += start * stride;
  pieces = PlainAxis(size, stride * step);
  return true;
}

bool Split(const Node& node, const Value& result, const Sizes& sizes, StridedView& view) {
  const std::optional<std::size_t> axis = AxisOf(IntAttribute(node, "axis"), sizes.size());
  if (!axis) return false;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < result.index(); ++i) {
    const std::optional<Sizes> before = KnownSizes(node.result(i));
    if (!before) return false;
    start += (*before)[*axis];
  }
  return Cut(view, *axis, start, 1, sizes[*axis]);
}

bool Slice(const Node& node, const Sizes& from, const Sizes& to, StridedView& view) {
  const std::optional<Sizes> starts = ConstantInts(node.operand(1));
  std::optional<Sizes> axes = ConstantInts(node.operand(3)), steps = ConstantInts(node.operand(4));
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
    const std::int64_t size = from[*axis];
    const std::int64_t start =
        (*starts)[i] < 0 ? std::max<std::int64_t>((*starts)[i] + size, 0) : (*starts)[i];
    if (start >= size || !Cut(view, *axis, start, (*steps)[i], to[*axis])) return false;
  }
  return true;
}

bool TakeIndex(const Node& node, const Sizes& from, StridedView& view) {
  const Tensor* index = ConstantOf(node.operand(1));
  const std::optional<std::size_t> axis = AxisOf(IntAttribute(node, "axis"), from.size());
  if (index == nullptr || index->dtype() != DType::kI64 || !axis) return false;
  const Shape* shape = node.operand(1)->type().shape();
  if (shape == nullptr || !shape->empty()) return false;
  const std::int64_t size = from[*axis], given = index->IntAt(0);
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
  const std::optional<Sizes> from = KnownSizes(SourceOf(node)), to = KnownSizes(&result);
  if (!from || !to) return false;
  if (Scales(node)) {
    view.scale *= ScaledOperand(node)->factor;
    return true;
  }
  if (node.Is("Transpose")) return Transpose(node, view);
  if (node.Is("Expand")) return Expand(*from, *to, view);
  if (node.Is("Split")) return Split(node, result, *to, view);
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

StridedView ViewOf(const Value& value) {
  std::vector<const Value*> chain = {&value};
  while (const Node* node = chain.back()->producer()) {
    const Value* source = SourceOf(*node);
    const bool fits = source != nullptr && node->graph() == value.graph() &&
                      source->graph() == value.graph() && !source->is_constant() &&
                      KnownSizes(source);
    if (!fits) break;
    chain.push_back(source);
  }
  StridedView view = Whole(*chain.back(), *KnownSizes(chain.back()));
  for (std::size_t i = chain.size() - 1; i-- > 0;) {
    if (!Apply(*chain[i], view)) view = Whole(*chain[i], *KnownSizes(chain[i]));
  }
  return view;
}

std::optional<std::vector<CommonPiece>> CutTogether(std::int64_t size,
                                                    std::span<const StridedAxis> axes) {
  std::vector<StridedAxis> rest(axes.begin(), axes.end());
  for (StridedAxis& axis : rest) {
    if (axis.empty()) axis = {{size, 0}};
  }
  std::vector<CommonPiece> common;
  while (size > 1) {
    std::int64_t taken = size;
    for (const StridedAxis& axis : rest) taken = std::min(taken, axis.back().size);
    if (taken == 1) return std::nullopt;
    CommonPiece piece{taken, {}};
    for (StridedAxis& axis : rest) {
      StridedPiece& last = axis.back();
      if (last.size % taken != 0) return std::nullopt;
      piece.strides.push_back(last.stride);
      last = {last.size / taken, last.stride * taken};
      if (last.size == 1 && axis.size() > 1) axis.pop_back();
    }
    common.insert(common.begin(), std::move(piece));
    size /= taken;
  }
  return common;
}

std::optional<CommonBatch> CutBatch(std::span<const std::int64_t> batch,
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
    if (!pieces || common.sizes.size() + static_cast<int>(pieces->size()) > rt::kMaxRank)
      return std::nullopt;
    for (const CommonPiece& piece : *pieces) {
      common.sizes.push_back(piece.size);
      for (std::size_t j = 0; j < views.size(); ++j) common.strides[j].push_back(piece.strides[j]);
    }
  }
  return common;
}

bool HasSizes(const Value* value, DType dtype) {
  const std::optional<Sizes> sizes = KnownSizes(value);
  return sizes && value->type().dtype() == dtype &&
         std::ranges::all_of(*sizes, [](std::int64_t size) { return size > 0; });
}

}  // namespace dragoman::onednn

// SPDX-License-Identifier: Apache-2.0
// Reading elements by index: index, gather, index_select, take, masked_select, nonzero…
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include "importers/torch/ops/indexing.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/lowering/indices.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

// A mask of rank r becomes r lists of the places where it is true.
void PushMask(Composer& c, Value* mask, std::vector<Value*>& indices) {
  Value* places = c.Op("NonZero", {IsTrue(c, mask)});
  for (int axis = 0; axis < c.Rank(mask); ++axis) indices.push_back(c.Select(places, 0, axis));
}

bool IsMask(const Composer& c, const Value* index) {
  return index != nullptr && (c.dtype(index) == DType::kBool || c.dtype(index) == DType::kU8);
}

// The axes that have an index, then the others; and whether torch puts the indexed ones first.
struct AxisOrder {
  std::vector<std::int64_t> order;
  int indexed = 0;
  int place = 0;  // of the indexed axes in the result
  bool adjacent = true;
};

AxisOrder OrderOf(const AdvancedIndex& index, int rank) {
  AxisOrder axes;
  std::vector<std::int64_t> rest;
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    if (i >= index.indices.size() || index.indices[i] == nullptr) {
      rest.push_back(axis);
      continue;
    }
    if (!axes.order.empty() && axes.order.back() != axis - 1) axes.adjacent = false;
    if (axes.order.empty()) axes.place = axis;
    axes.order.push_back(axis);
  }
  axes.indexed = static_cast<int>(axes.order.size());
  if (!axes.adjacent) axes.place = 0;
  axes.order.insert(axes.order.end(), rest.begin(), rest.end());
  return axes;
}

// The permutation that moves `count` leading axes after `place` others.
std::vector<std::int64_t> MoveBehind(int rank, int count, int place) {
  std::vector<std::int64_t> permutation;
  for (int axis = 0; axis < place; ++axis) permutation.push_back(count + axis);
  for (int axis = 0; axis < count; ++axis) permutation.push_back(axis);
  for (int axis = count + place; axis < rank; ++axis) permutation.push_back(axis);
  return permutation;
}

std::vector<std::int64_t> Inverse(const std::vector<std::int64_t>& permutation) {
  std::vector<std::int64_t> inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  return inverse;
}

// Whether all indices are known to have the same sizes.
bool HaveEqualSizes(const Composer& c, const std::vector<Value*>& indices) {
  std::optional<std::vector<std::int64_t>> first;
  for (const Value* index : indices) {
    const std::optional<std::vector<std::int64_t>> sizes = c.KnownSizes(index);
    if (!sizes || (first && *first != *sizes)) return false;
    first = sizes;
  }
  return true;
}

// The indices of all indexed axes side by side in a last axis.
Value* JoinIndices(Composer& c, const AdvancedIndex& index) {
  std::vector<Value*> indices = index.indices;
  std::erase(indices, nullptr);
  if (indices.size() > 1 && !HaveEqualSizes(c, indices)) {
    Value* together = nullptr;
    for (Value* one : indices) together = together == nullptr ? one : c.Add(together, one);
    Value* shape = c.Shape(together);
    for (Value*& one : indices) one = c.Expand(one, shape);
  }
  for (Value*& one : indices) one = c.Unsqueeze(one, {-1});
  return c.Concat(std::move(indices), -1);
}

// The axes of `index` that may have another size than 1, among those of a result with `rank` axes.
std::vector<int> WideAxes(const Value& index, int rank) {
  std::vector<int> axes;
  const Shape& shape = *index.type().shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!(shape[i] == Dim(1))) axes.push_back(rank - static_cast<int>(shape.size() - i));
  }
  return axes;
}

// Indices of which each chooses along axes of the result of its own, in their order, as rows and
// columns do: without the axes of size 1 by which they broadcast. Empty: they are no such indices.
std::vector<Value*> IndicesOfAxes(Composer& c, std::vector<Value*> indices) {
  int rank = 0;
  for (const Value* index : indices) {
    if (index->type().shape() == nullptr) return {};
    rank = std::max(rank, c.Rank(index));
  }
  std::vector<int> begins = {0};  // of each index in the result
  for (std::size_t i = 0, end = 0; i < indices.size(); ++i) {
    const std::vector<int> wide = WideAxes(*indices[i], rank);
    if (wide.empty() || wide.front() < static_cast<int>(end)) return {};
    if (i > 0) begins.push_back(wide.front());
    end = static_cast<std::size_t>(wide.back()) + 1;
  }
  begins.push_back(rank);
  if (c.Rank(indices.front()) != rank) return {};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    std::vector<std::int64_t> ones;
    const int missing = rank - c.Rank(indices[i]);
    for (int axis = missing; axis < rank; ++axis) {
      if (axis < begins[i] || axis >= begins[i + 1]) ones.push_back(axis - missing);
    }
    if (!ones.empty()) indices[i] = c.Squeeze(indices[i], std::move(ones));
  }
  return indices;
}

}  // namespace

AdvancedIndex TakeIndices(CallComposer& c) {
  AdvancedIndex index;
  for (Value* one : c.Take(c.call().OptionalTensors("indices"))) {
    if (IsMask(c, one)) {
      PushMask(c, one, index.indices);
    } else {
      index.indices.push_back(one == nullptr ? nullptr : c.Cast(one, DType::kI64));
    }
  }
  return index;
}

Value* IndexRead(Composer& c, Value* x, const AdvancedIndex& index) {
  const int rank = c.Rank(x);
  const AxisOrder axes = OrderOf(index, rank);
  if (c.failed() || axes.indexed == 0) return x;
  if (static_cast<int>(index.indices.size()) > rank) return c.Fail("more indices than axes");
  if (axes.indexed == 1) {
    const auto axis = static_cast<std::size_t>(axes.order[0]);
    return c.Gather(x, index.indices[axis], static_cast<int>(axis));
  }
  if (axes.adjacent) {
    std::vector<Value*> given = index.indices;
    std::erase(given, nullptr);
    const std::vector<Value*> indices = IndicesOfAxes(c, std::move(given));
    for (int axis = axes.place; Value * one : indices) {
      x = c.Gather(x, one, axis);
      axis += c.Rank(one);
    }
    if (!indices.empty()) return x;
  }
  Value* joined = JoinIndices(c, index);
  Value* read = c.Op("GatherND", {c.Transpose(x, axes.order), joined});
  const int count = c.Rank(joined) - 1;
  return c.Transpose(read, MoveBehind(c.Rank(read), count, axes.place));
}

Value* IndexWrite(Composer& c, Value* x, const AdvancedIndex& index, Value* values, bool add) {
  const int rank = c.Rank(x);
  const AxisOrder axes = OrderOf(index, rank);
  if (c.failed()) return nullptr;
  if (axes.indexed == 0) {
    Value* all = c.Expand(values, c.Shape(x));
    return add ? c.Add(x, all) : all;
  }
  Value* ordered = c.Transpose(x, axes.order);
  Value* joined = JoinIndices(c, index);
  const int count = c.Rank(joined) - 1;
  Value* sizes = c.SizeVector(joined, 0, count);
  if (axes.indexed < rank)
    sizes = c.ConcatSizes({sizes, c.SizeVector(ordered, axes.indexed, rank - axes.indexed)});
  const int result_rank = count + rank - axes.indexed;
  const std::vector<std::int64_t> moved = MoveBehind(result_rank, count, axes.place);
  Value* wanted = result_rank == 0 ? c.Ints({}) : c.Gather(sizes, c.Ints(moved), 0);
  Value* updates = c.Transpose(c.Expand(values, wanted), Inverse(moved));
  std::vector<NamedAttribute> attributes;
  if (add) attributes.push_back({"reduction", "add"});
  Value* written = c.Op("ScatterND", {ordered, joined, updates}, std::move(attributes));
  return c.Transpose(written, Inverse(axes.order));
}

bool HasNoElements(const Composer& c, const Value* index) {
  const auto sizes = c.KnownSizes(index);
  return sizes && std::ranges::find(*sizes, 0) != sizes->end();
}

namespace {

// index, _unsafe_index
Value* LowerIndex(CallComposer& c) {
  Value* x = c.Tensor("self");
  return IndexRead(c, x, TakeIndices(c));
}

// index_put, _index_put_impl: one value under a mask is a choice.
Value* LowerIndexPut(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* values = c.CastLike(c.Tensor("values"), x);
  const std::vector<Value*> given = c.Take(c.call().OptionalTensors("indices"));
  if (given.size() == 1 && IsMask(c, given[0]) && !c.BoolOr("accumulate", false) &&
      c.MaybeRank(values) == 0) {
    Value* mask = IsTrue(c, given[0]);
    std::vector<std::int64_t> trailing;
    for (int axis = c.Rank(mask); axis < c.Rank(x); ++axis) trailing.push_back(axis);
    return c.Where(c.Unsqueeze(mask, std::move(trailing)), values, x);
  }
  const AdvancedIndex index = TakeIndices(c);
  return IndexWrite(c, x, index, values, c.BoolOr("accumulate", false));
}

Value* LowerIndexSelect(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* index = c.Cast(c.Tensor("index"), DType::kI64);
  if (c.MaybeRank(x) == 0) return x;
  if (c.MaybeRank(index) == 0) index = c.Unsqueeze(index, {0});
  return c.Gather(x, index, c.AxisOf(c.Int("dim"), x));
}

// The operand reads beyond no index: torch lets the index be smaller along other axes.
Value* LowerGather(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* index = c.Cast(c.Tensor("index"), DType::kI64);
  const int rank = c.Rank(x);
  const std::int64_t axis = c.AxisArgument("dim", x);
  if (rank == 0) return c.Expand(x, c.Shape(index));
  if (rank == 1 && c.Rank(index) == 0) return c.Gather(x, index, 0);
  if (HasNoElements(c, index)) return c.Full(c.Shape(index), 0, c.dtype(x));
  for (int other = 0; other < rank && !c.failed(); ++other) {
    const std::optional<std::int64_t> size = c.KnownSize(x, other);
    const std::optional<std::int64_t> read = c.KnownSize(index, other);
    if (other == axis || (size && size == read)) continue;
    x = c.Slice(x, other, c.Ints({0}), c.SizeVector(index, other, 1), c.Ints({1}));
  }
  index = WithoutRaising(c, index, x, static_cast<int>(axis));
  return c.Op("GatherElements", {x, index}, {{"axis", axis}});
}

Value* LowerTakeAlongDim(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* index = c.Cast(c.Tensor("indices"), DType::kI64);
  if (!c.Has("dim")) {
    Value* flat = c.Flatten(index);
    return c.Op("GatherElements", {c.Flatten(x), flat});
  }
  const int axis = c.AxisArgument("dim", x);
  const int rank = c.Rank(x);
  for (int other = 0; other < rank && !c.failed(); ++other) {
    const std::optional<std::int64_t> known = c.KnownSize(x, other);
    if (other == axis || (known && known == c.KnownSize(index, other))) continue;
    Value* size = c.Max(c.SizeVector(x, other, 1), c.SizeVector(index, other, 1));
    std::vector<Value*> sizes(static_cast<std::size_t>(rank), c.Ints({1}));
    sizes[static_cast<std::size_t>(other)] = size;
    Value* shape = c.ConcatSizes(std::move(sizes));
    x = c.Expand(x, shape);
    index = c.Expand(index, shape);
  }
  return c.Op("GatherElements", {x, index}, {{"axis", std::int64_t{axis}}});
}

Value* LowerTake(CallComposer& c) {
  Value* x = c.Flatten(c.Tensor("self"));
  return c.Gather(x, c.Tensor("index"), 0);
}

Value* LowerMaskedSelect(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* mask = IsTrue(c, c.Tensor("mask"));
  if (!HaveEqualSizes(c, {x, mask})) {
    mask = c.And(mask, c.Full(c.Shape(x), 1, DType::kBool));
    x = c.Expand(x, c.Shape(mask));
  }
  return c.CastLike(c.Op("Compress", {c.Widen(x), c.Flatten(mask)}), x);
}

// nonzero, argwhere: one row a place.
Value* LowerNonZero(CallComposer& c) {
  Value* x = c.Tensor("self");
  if (c.Rank(x) == 0) {
    Value* found = c.Cast(c.Unsqueeze(IsTrue(c, x), {0}), DType::kI64);
    return c.Full(c.ConcatSizes({found, c.Ints({0})}), 0, DType::kI64);
  }
  return c.SwapAxes(c.Op("NonZero", {x}), 0, 1);
}

}  // namespace

// nonzero_numpy, and where of a condition alone: a vector an axis.
Result<Results> LowerNonZeroNumpy(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor(call.Declares("condition") ? "condition" : "self");
  if (c.MaybeRank(x) == 0) x = c.Unsqueeze(x, {0});
  std::vector<Value*> places;
  PushMask(c, x, places);
  return c.DoneList(places);
}

std::span<const OpRow> IndexingRows() {
  static constexpr OpRow kRows[] = {
      {"aten._index_put_impl", LowerIndexPut},
      {"aten._unsafe_index", LowerIndex},
      {"aten._unsafe_index_put", LowerIndexPut},
      {"aten.argwhere", LowerNonZero, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.gather", LowerGather, {.complex = true, .index = 2}},
      {"aten.index", LowerIndex, {.complex = true}},
      {"aten.index_put", LowerIndexPut, {.complex = true}},
      {"aten.index_select", LowerIndexSelect, {.complex = true, .index = 2}},
      {"aten.masked_select", LowerMaskedSelect, {.complex = true}},
      {"aten.nonzero", LowerNonZero, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.nonzero_numpy", LowerNonZeroNumpy, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.take", LowerTake, {.complex = true, .index = 1}},
      {"aten.take_along_dim", LowerTakeAlongDim, {.complex = true, .index = 1}},
  };
  return kRows;
}

}  // namespace dragoman::torch

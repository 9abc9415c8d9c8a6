// SPDX-License-Identifier: Apache-2.0
// Parts of tensors, by bounds, indices and masks.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/rest_sizes.h"
#include "importers/tensorflow/ops/run_time_axes.h"

namespace dragoman::tf {
namespace {

constexpr std::int64_t kBeforeFirst = std::numeric_limits<std::int64_t>::min();

bool HasBit(std::int64_t mask, std::size_t i) { return i < 63 && ((mask >> i) & 1) != 0; }

// The bounds and the stride of one axis of a slice, each an int64 vector of one element.
struct Bounds {
  std::int64_t axis = 0;
  Value* begin = nullptr;
  Value* end = nullptr;
  Value* stride = nullptr;
  bool shrinks = false;
};

// What begin, end, strides and the masks of a StridedSlice say: a list of entries, each for one
// axis of the operand, for a new axis, or (the ellipsis) for all axes that no other is for.
struct SliceSpec {
  std::vector<Bounds> bounds;
  Ints new_axes;  // of the result
};

Value* Entry(Call& c, Value* list, std::size_t i) {
  const auto at = static_cast<std::int64_t>(i);
  if (const std::optional<Ints> known = c.builder().KnownInts(list)) return c.Ints({(*known)[i]});
  return c.Slice(list, 0, at, at + 1);
}

// `forwards` where the stride is positive, else `backwards`.
Value* ByDirection(Call& c, const Bounds& bounds, std::int64_t forwards, std::int64_t backwards) {
  const std::optional<std::int64_t> stride = c.KnownNumber(bounds.stride);
  if (stride) return c.Ints({*stride > 0 ? forwards : backwards});
  return c.Where(c.Greater(bounds.stride, 0), c.Ints({forwards}), c.Ints({backwards}));
}

// Backwards from an element in front of the first one lies nothing; ai.onnx begins at the first.
void EmptyInFront(Call& c, Value* x, Bounds& bounds) {
  const std::optional<std::int64_t> begin = c.KnownNumber(bounds.begin);
  const std::optional<std::int64_t> stride = c.KnownNumber(bounds.stride);
  const auto axis = static_cast<int>(bounds.axis);
  if ((stride && *stride > 0) || (begin && *begin >= 0) || axis >= c.Rank(x) || c.failed()) return;
  Value* from_front = c.Add(bounds.begin, c.SizeVector(x, axis, 1));
  const std::optional<std::int64_t> known = c.KnownNumber(from_front);
  if (known && *known >= 0) return;
  Value* nothing = c.Ints({kEnd});
  if (known && stride) {
    bounds.end = nothing;
    return;
  }
  Value* in_front = c.Less(from_front, 0);
  if (!stride) in_front = c.And(in_front, c.Less(bounds.stride, 0));
  bounds.end = c.Where(in_front, nothing, bounds.end);
}

SliceSpec ReadSpec(Call& c, Value* x, std::size_t first) {
  SliceSpec spec;
  Value* begin = c.Index(first);
  Value* end = c.Index(first + 1);
  Value* strides = c.Index(first + 2);
  const std::int64_t begin_mask = c.IntAttribute("begin_mask");
  const std::int64_t end_mask = c.IntAttribute("end_mask");
  const std::int64_t ellipsis_mask = c.IntAttribute("ellipsis_mask");
  const std::int64_t new_axis_mask = c.IntAttribute("new_axis_mask");
  const std::int64_t shrink_mask = c.IntAttribute("shrink_axis_mask");
  if (c.failed()) return spec;
  const std::optional<std::int64_t> entries = c.KnownSize(strides, 0);
  if (!entries || c.KnownSize(begin, 0) != entries || c.KnownSize(end, 0) != entries) {
    c.Fail("bounds whose number is not known or not equal");
    return spec;
  }
  const auto count = static_cast<std::size_t>(*entries);
  std::int64_t axis = 0;    // of the operand
  std::int64_t result = 0;  // of the result
  for (std::size_t i = 0; i < count; ++i) {
    if (HasBit(ellipsis_mask, i)) {
      std::int64_t behind = 0;
      bool is_last = true;
      for (std::size_t j = i + 1; j < count; ++j) {
        is_last = false;
        if (!HasBit(new_axis_mask, j)) ++behind;
      }
      if (is_last) break;
      const std::int64_t skipped = c.Rank(x) - axis - behind;
      if (!c.failed() && skipped < 0) c.Fail(InvalidInput("there are more bounds than axes"));
      if (c.failed()) return spec;
      axis += skipped;
      result += skipped;
      continue;
    }
    if (HasBit(new_axis_mask, i)) {
      spec.new_axes.push_back(result++);
      continue;
    }
    Bounds bounds;
    bounds.axis = axis++;
    bounds.stride = Entry(c, strides, i);
    bounds.shrinks = HasBit(shrink_mask, i);
    const std::optional<std::int64_t> stride = c.KnownNumber(bounds.stride);
    if (stride == 0) {
      c.Fail(InvalidInput("a stride is 0"));
      return spec;
    }
    const bool from_first = HasBit(begin_mask, i) && !bounds.shrinks;
    const bool to_last = HasBit(end_mask, i) && !bounds.shrinks;
    bounds.begin = from_first ? ByDirection(c, bounds, 0, kEnd) : Entry(c, begin, i);
    bounds.end = to_last ? ByDirection(c, bounds, kEnd, kBeforeFirst) : Entry(c, end, i);
    if (!from_first && !bounds.shrinks) EmptyInFront(c, x, bounds);
    if (!bounds.shrinks) ++result;
    // All of an axis.
    if (from_first && to_last && stride == 1) continue;
    spec.bounds.push_back(bounds);
  }
  return spec;
}

Value* LowerStridedSlice(Call& c) { return SliceByMasks(c, c.Tensor(0), 1); }

}  // namespace

Value* SliceByMasks(Call& c, Value* x, std::size_t first) {
  const SliceSpec spec = ReadSpec(c, x, first);
  if (c.failed()) return nullptr;
  std::vector<Value*> begins;
  std::vector<Value*> ends;
  Ints axes;
  std::vector<Value*> strides;
  for (const Bounds& bounds : spec.bounds) {
    if (bounds.shrinks) continue;
    begins.push_back(bounds.begin);
    ends.push_back(bounds.end);
    axes.push_back(bounds.axis);
    strides.push_back(bounds.stride);
  }
  if (!axes.empty()) {
    x = c.Op("Slice",
             {x, c.ConcatSizes(begins), c.ConcatSizes(ends), c.Ints(axes), c.ConcatSizes(strides)});
  }
  for (auto bounds = spec.bounds.rbegin(); bounds != spec.bounds.rend(); ++bounds) {
    if (!bounds->shrinks) continue;
    Value* index = c.Reshape(bounds->begin, Ints());
    if (const std::optional<Ints> known =
            c.failed() ? std::nullopt : c.builder().KnownInts(bounds->begin))
      index = c.Int(known->front());
    x = c.Gather(x, index, static_cast<int>(bounds->axis));
  }
  return c.Unsqueeze(x, spec.new_axes);
}

namespace {

Value* LowerSlice(Call& c) {
  Value* x = c.Tensor(0);
  Value* begin = c.Index(1);
  Value* size = c.Index(2);
  const std::optional<Ints> sizes = c.MaybeKnownInts(2);
  if (c.failed()) return nullptr;
  const std::optional<std::int64_t> count = c.KnownSize(begin, 0);
  if (!count) return c.Fail("bounds whose number is not known");
  if (*count > kMaxAxes)
    return c.Fail(InvalidInput("bounds of " + std::to_string(*count) + " axes"));
  // -1: up to the last element.
  Value* ends = c.Add(begin, size);
  if (!sizes) {
    ends = c.Where(c.Less(size, 0), c.Ints({kEnd}), ends);
  } else if (std::find(sizes->begin(), sizes->end(), -1) != sizes->end()) {
    std::vector<Value*> parts;
    for (std::size_t i = 0; i < sizes->size(); ++i) {
      parts.push_back((*sizes)[i] == -1 ? c.Ints({kEnd}) : Entry(c, ends, i));
    }
    ends = c.ConcatSizes(parts);
  }
  Ints axes = AllAxes(static_cast<int>(*count));
  return c.Op("Slice", {x, begin, ends, c.Ints(axes)});
}

Value* LowerGather(Call& c) {
  Value* x = c.Tensor(0);
  return c.Gather(x, c.Tensor(1), 0);
}

Value* LowerGatherV2(Call& c) {
  Value* x = c.Tensor(0);
  Value* indices = c.Tensor(1);
  const std::int64_t batch = c.IntAttribute("batch_dims");
  if (Value* axis = RunTimeAxis(c, 2, x)) {
    if (batch != 0) return c.Fail("an axis that is known at run time only, beside batch_dims");
    return FrontToAxis(c, c.Gather(AxisToFront(c, x, axis), indices, 0), axis, c.Rank(indices));
  }
  return GatherInBatch(c, x, indices, c.AxisOperand(2, x), batch);
}

}  // namespace

Value* GatherInBatch(Call& c, Value* x, Value* indices, int axis, std::int64_t batch) {
  if (batch == 0 || c.failed()) return c.Gather(x, indices, axis);
  const int rank = c.Rank(x);
  const int index_rank = c.Rank(indices);
  if (batch < 0) batch += index_rank;
  if (c.failed()) return nullptr;
  if (batch < 0 || batch > axis || batch > index_rank || axis >= rank)
    return c.Fail(InvalidInput("batch_dims does not fit the operands"));
  // The axis comes first after those of the batch, and what is gathered takes its place.
  Ints order = AllAxes(rank);
  order.erase(order.begin() + axis);
  order.insert(order.begin() + batch, axis);
  Value* moved = c.Transpose(x, order);
  Value* gathered =
      c.Op("GatherND", {moved, c.Unsqueeze(c.Cast(indices, DType::kI64), {index_rank})},
           {{"batch_dims", batch}});
  const int between = axis - static_cast<int>(batch);
  const int inner = index_rank - static_cast<int>(batch);
  if (between == 0) return gathered;
  Ints back = AllAxes(static_cast<int>(batch));
  for (int i = 0; i < between; ++i) back.push_back(batch + inner + i);
  for (int i = 0; i < inner; ++i) back.push_back(batch + i);
  for (auto i = static_cast<std::int64_t>(back.size()); i < rank - 1 + inner; ++i)
    back.push_back(i);
  return c.Transpose(gathered, back);
}

namespace {

Value* LowerGatherNd(Call& c) {
  Value* x = c.Tensor(0);
  return c.Op("GatherND", {x, c.Index(1)});
}

Value* LowerScatterNd(Call& c) {
  Value* updates = c.Tensor(1);
  Value* zeros = c.Full(c.Index(2), 0, c.dtype(updates));
  return c.Op("ScatterND", {zeros, c.Index(0), updates}, {{"reduction", "add"}});
}

// Target: the reduction, or "none".
Value* LowerTensorScatter(Call& c) {
  Value* x = c.Tensor(0);
  Value* updates = c.Tensor(2);
  if (c.target() == "sub")
    return c.Op("ScatterND", {x, c.Index(1), c.Neg(updates)}, {{"reduction", "add"}});
  std::vector<NamedAttribute> attributes;
  if (c.target() != "none") attributes.push_back({"reduction", std::string(c.target())});
  return c.Op("ScatterND", {x, c.Index(1), updates}, std::move(attributes));
}

// Indices that are out of range have no element that is on.
Value* LowerOneHot(Call& c) {
  Value* indices = c.Index(0);
  Value* depth = c.Index(1);
  const int rank = c.Rank(indices);
  const std::int64_t stated = c.IntAttribute("axis");
  const int axis = c.Axis(stated, rank + 1);
  if (c.failed()) return nullptr;
  Value* places = AlongAxis(c, c.Iota(depth), axis, rank + 1);
  return c.Where(c.Equal(c.Unsqueeze(indices, {axis}), places), c.Tensor(2), c.Tensor(3));
}

// The positions of what is true, one per row.
Value* LowerWhere(Call& c) {
  Value* x = IsTrue(c, c.Tensor(0));
  return c.Transpose(c.Op("NonZero", {x}), {1, 0});
}

// The best along an axis, whose places are of `places`. ONNX orders no bfloat16; float32 has the
// same numbers.
std::vector<Value*> TopK(Call& c, Value* k, const std::vector<NamedAttribute>& attributes,
                         DType places) {
  Value* x = c.Tensor(0);
  if (c.failed()) return {};
  Value* numbers = c.dtype(x) == DType::kBF16 ? c.Cast(x, DType::kF32) : x;
  const std::vector<Value*> best = c.Ops("TopK", {numbers, k}, attributes, 2);
  return {c.CastLike(best[0], x), c.Cast(best[1], places)};
}

std::vector<Value*> LowerTopK(Call& c) {
  Value* k = c.num_operands() > 1 ? c.Index(1) : c.Int(c.IntAttribute("k"));
  const std::int64_t sorted = c.BoolAttribute("sorted");
  return TopK(c, c.Vector(k),
              {{"axis", std::int64_t{-1}}, {"largest", std::int64_t{1}}, {"sorted", sorted}},
              c.Has("index_type") ? c.TypeAttribute("index_type") : DType::kI32);
}

// The best along an axis; exact ones are as good as the recall asks for.
std::vector<Value*> LowerApproxTopK(Call& c) {
  const std::int64_t k = c.IntAttribute("k");
  const std::int64_t largest = c.BoolAttribute("is_max_k");
  const std::int64_t axis = c.IntAttribute("reduction_dimension");
  if (c.failed()) return {};
  if (!c.BoolAttribute("aggregate_to_topk")) {
    c.Fail("aggregate_to_topk = false, which gives parts of an unknown size, is not supported");
    return {};
  }
  return TopK(c, c.Ints({k}), {{"axis", axis}, {"largest", largest}, {"sorted", std::int64_t{1}}},
              DType::kI32);
}

// Whether one of the best k of its row, by the class that `targets` names, is among them: not if
// there is no such class, or no order among the row because a number of it is not finite.
Value* LowerInTopK(Call& c) {
  Value* predictions = c.Tensor(0);
  Value* targets = c.Index(1);
  Value* k = c.num_operands() > 2 ? c.Index(2) : c.Int(c.IntAttribute("k"));
  Value* exists = c.And(c.GreaterOrEqual(targets, 0), c.Less(targets, c.Size(predictions, 1)));
  Value* column = c.Unsqueeze(c.Where(exists, targets, 0), {1});
  Value* score = c.Op("GatherElements", {predictions, column}, {{"axis", std::int64_t{1}}});
  Value* better = c.Cast(c.Greater(predictions, score), DType::kI64);
  // Without a number or without an end, the difference from itself is not 0.
  Value* finite = c.Equal(c.Sub(predictions, predictions), 0);
  Value* all_finite = c.Greater(c.Reduce("ReduceMin", c.Cast(finite, DType::kI32), {1}, false), 0);
  return c.And(c.And(exists, all_finite), c.Less(c.ReduceSum(better, {1}), k));
}

// Elements in the order in which they come first, and which of them each element is.
std::vector<Value*> LowerUnique(Call& c, bool along_axis) {
  Value* x = c.Tensor(0);
  std::vector<NamedAttribute> attributes = {{"sorted", std::int64_t{0}}};
  if (along_axis) {
    const Ints axes = c.KnownInts(1, "an axis");
    if (!axes.empty()) attributes.push_back({"axis", std::int64_t{c.AxisOf(axes.front(), x)}});
  }
  const DType index = c.TypeAttribute("out_idx");
  // Runtimes of ONNX have this of int64, not of all smaller integers.
  Value* wide = IsInteger(c.dtype(x)) && c.dtype(x) != DType::kU64 ? c.Cast(x, DType::kI64) : x;
  const std::vector<Value*> found = c.Ops("Unique", {wide}, std::move(attributes), 4);
  std::vector<Value*> results = {c.CastLike(found[0], x), c.Cast(found[2], index)};
  if (c.num_results() > 2) results.push_back(c.Cast(found[3], index));
  return results;
}

Value* LowerInvertPermutation(Call& c) {
  Value* order = c.Tensor(0);
  Value* places = c.CastLike(c.Iota(c.Size(order, 0)), order);
  return c.Op("ScatterElements", {order, order, places});
}

// The diagonals above or below the main one that are kept, as operand `i` says; nullptr: all.
Value* KeptDiagonals(Call& c, std::size_t i, Value* x, int axis) {
  Value* count = c.IndexNumber(i);
  if (const std::optional<std::int64_t> known = c.KnownNumber(count))
    return *known < 0 ? nullptr : count;
  return c.Where(c.Less(count, 0), c.Size(x, axis), count);
}

Value* LowerMatrixBandPart(Call& c) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  Value* lower = KeptDiagonals(c, 1, x, rank - 2);
  Value* upper = KeptDiagonals(c, 2, x, rank - 1);
  if (upper != nullptr) x = c.Op("Trilu", {x, upper}, {{"upper", std::int64_t{0}}});
  if (lower != nullptr) x = c.Op("Trilu", {x, c.Neg(lower)}, {{"upper", std::int64_t{1}}});
  return x;
}

// Sums, extremes of rows with equal numbers.
Value* LowerSegmentReduce(Call& c, bool mean) {
  Value* x = c.Tensor(0);
  Value* segments = c.Index(1);
  if (c.failed()) return nullptr;
  if (c.MaybeRank(segments) != 1) return c.Fail("segment numbers of rank other than 1");
  Value* count = c.Add(c.ReduceAll("ReduceMax", segments), 1);
  Value* sizes = c.ConcatSizes({c.Vector(count), RestSizes(c, x, 1)});
  Value* zeros = c.Full(sizes, 0, c.dtype(x));
  Value* rows = c.Unsqueeze(segments, {1});
  Value* sum = c.Op("ScatterND", {zeros, rows, x}, {{"reduction", "add"}});
  if (!mean) return sum;
  Value* members =
      c.Op("ScatterND", {zeros, rows, c.Full(c.Shape(x), 1, c.dtype(x))}, {{"reduction", "add"}});
  return c.Div(sum, c.Max(members, 1));
}

// Sums of rows with equal numbers, which need no order; those with negative ones are left out.
Value* LowerUnsortedSegmentSum(Call& c) {
  Value* x = c.Tensor(0);
  Value* segments = c.Index(1);
  Value* count = c.Index(2);
  const int segment_rank = c.Rank(segments);
  if (c.failed()) return nullptr;
  Value* rest = RestSizes(c, x, segment_rank);
  Value* zeros = c.Full(c.ConcatSizes({c.Vector(c.Add(count, 1)), rest}), 0, c.dtype(x));
  // What is left out goes to one row more.
  Value* rows = c.Unsqueeze(c.Where(c.Less(segments, 0), count, segments), {segment_rank});
  Value* sums = c.Op("ScatterND", {zeros, rows, x}, {{"reduction", "add"}});
  return c.Slice(sums, 0, c.Ints({0}), c.Ints({-1}), c.Ints({1}));
}

}  // namespace

std::span<const OpRow> IndexingRows() {
  static constexpr OpRow kRows[] = {
      {"ApproxTopK", LowerApproxTopK},
      {"BatchMatrixBandPart", LowerMatrixBandPart},
      {"Gather", LowerGather},
      {"GatherNd", LowerGatherNd},
      {"GatherV2", LowerGatherV2},
      {"InTopK", LowerInTopK},
      {"InTopKV2", LowerInTopK},
      {"InvertPermutation", LowerInvertPermutation},
      {"MatrixBandPart", LowerMatrixBandPart},
      {"OneHot", LowerOneHot},
      {"ResourceGatherNd", LowerGatherNd},
      {"ScatterNd", LowerScatterNd},
      {"ScatterNdNonAliasingAdd", LowerTensorScatter, "add"},
      {"SegmentMean", With<LowerSegmentReduce, true>},
      {"SegmentSum", With<LowerSegmentReduce, false>},
      {"Slice", LowerSlice},
      {"StridedSlice", LowerStridedSlice},
      {"TensorScatterAdd", LowerTensorScatter, "add"},
      {"TensorScatterMax", LowerTensorScatter, "max"},
      {"TensorScatterMin", LowerTensorScatter, "min"},
      {"TensorScatterSub", LowerTensorScatter, "sub"},
      {"TensorScatterUpdate", LowerTensorScatter, "none"},
      {"TopK", LowerTopK},
      {"TopKV2", LowerTopK},
      {"Unique", With<LowerUnique, false>},
      {"UniqueV2", With<LowerUnique, true>},
      {"UniqueWithCounts", With<LowerUnique, false>},
      {"UniqueWithCountsV2", With<LowerUnique, true>},
      {"UnsortedSegmentSum", LowerUnsortedSegmentSum},
      {"Where", LowerWhere},
  };
  return kRows;
}

}  // namespace dragoman::tf

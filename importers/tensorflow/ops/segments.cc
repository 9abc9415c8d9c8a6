// SPDX-License-Identifier: Apache-2.0
// Rows that are put together, taken apart or counted by numbers: segments, partitions, sparse
// tensors, buckets.
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/ir/wide_float.h"
#include "core/lowering/math.h"
#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/ops/extremes.h"
#include "importers/tensorflow/ops/rest_sizes.h"

namespace dragoman::tf {
namespace {

// What leaves every element of `type` as it is, of reduction "add", "max", "min" or "mul".
Value* Neutral(Call& c, std::string_view reduction, DType type) {
  if (reduction == "add") return c.Number(0, type);
  if (reduction == "mul") return c.Number(1, type);
  return EndOfType(c, type, reduction == "min");
}

// Rows of `x` with equal numbers, combined with `neutral`; `count` (0-d) of them.
Value* Combine(Call& c, Value* x, Value* segments, Value* count, Value* neutral) {
  const int segment_rank = c.Rank(segments);
  if (c.failed()) return nullptr;
  Value* rest = RestSizes(c, x, segment_rank);
  // What has a negative number is left out: it goes to one row more.
  Value* start = c.Expand(neutral, c.ConcatSizes({c.Vector(c.Add(count, 1)), rest}));
  Value* rows = c.Unsqueeze(c.Where(c.Less(segments, 0), count, segments), {segment_rank});
  Value* all = c.Op("ScatterND", {start, rows, x}, {{"reduction", std::string(c.target())}});
  return c.Slice(all, 0, c.Ints({0}), c.Ints({-1}), c.Ints({1}));
}

// Operand 2 gives how many segments there are.
Value* LowerSegmentReduceOfCount(Call& c) {
  Value* x = c.Tensor(0);
  Value* segments = c.Index(1);
  Value* count = c.IndexNumber(2);
  if (c.failed()) return nullptr;
  return Combine(c, x, segments, count, Neutral(c, c.target(), c.dtype(x)));
}

// Segments that have no rows are 0, or 1 if they are multiplied.
Value* LowerSortedSegmentReduce(Call& c) {
  Value* x = c.Tensor(0);
  Value* segments = c.Index(1);
  if (c.failed()) return nullptr;
  Value* count = c.Add(c.ReduceAll("ReduceMax", segments), 1);
  const bool is_extreme = c.target() == "max" || c.target() == "min";
  Value* neutral = is_extreme ? BeyondType(c, c.dtype(x), c.target() == "min")
                              : Neutral(c, c.target(), c.dtype(x));
  Value* found = Combine(c, x, segments, count, neutral);
  if (!is_extreme || c.failed()) return found;
  Value* hits = c.Equal(c.Unsqueeze(c.Iota(count), {1}), c.Unsqueeze(segments, {0}));
  Value* members = c.ReduceSum(c.Cast(hits, DType::kI32), {1});
  // Along the first axis of x, whatever its rank.
  Value* others = c.Slice(c.Full(c.Vector(c.Size(c.Shape(x), 0)), 1, DType::kI64), 0, 1, kEnd);
  Value* column = c.ConcatSizes({c.Vector(count), others});
  return c.Where(c.Reshape(c.Greater(members, 0), column), found, 0);
}

// How many boundaries each element is not below.
Value* LowerBucketize(Call& c) {
  Value* x = c.Tensor(0);
  const Attribute* attribute = c.attribute("boundaries");
  const std::optional<Attribute::Floats> boundaries =
      attribute != nullptr ? AsFloats(*attribute) : std::nullopt;
  if (c.failed()) return nullptr;
  if (!boundaries) return c.Fail(InvalidInput("attribute boundaries is missing"));
  const DType type = WideFloat(c.dtype(x));
  const std::vector<float> numbers(boundaries->begin(), boundaries->end());
  Value* bounds = c.builder().Constant(
      dragoman::Tensor::Of<float>({static_cast<std::int64_t>(numbers.size())}, numbers));
  const int rank = c.Rank(x);
  Value* above = c.GreaterOrEqual(c.Unsqueeze(c.Cast(x, type), {rank}), c.Cast(bounds, type));
  return c.ReduceSum(c.Cast(above, DType::kI32), {rank});
}

// Where each of `values` belongs in a sorted row: after all that are less (or not greater).
Value* LowerSortedBound(Call& c, bool upper) {
  Value* sorted = c.Unsqueeze(c.Tensor(0), {1});
  Value* values = c.Unsqueeze(c.Tensor(1), {2});
  const DType index = c.TypeAttribute("out_type");
  Value* before = upper ? c.LessOrEqual(sorted, values) : c.Less(sorted, values);
  return c.ReduceSum(c.Cast(before, index), {2});
}

// Elements of x that are not in y, and where they are.
std::vector<Value*> LowerListDiff(Call& c) {
  Value* x = c.Tensor(0);
  Value* y = c.Tensor(1);
  const DType index = c.TypeAttribute("out_idx");
  if (c.failed()) return {};
  const std::optional<Ints> known_x = c.builder().KnownInts(x);
  const std::optional<Ints> known_y = c.builder().KnownInts(y);
  if (known_x && known_y) {
    Ints values;
    Ints places;
    for (std::size_t i = 0; i < known_x->size(); ++i) {
      if (std::find(known_y->begin(), known_y->end(), (*known_x)[i]) != known_y->end()) continue;
      values.push_back((*known_x)[i]);
      places.push_back(static_cast<std::int64_t>(i));
    }
    return {c.Cast(c.Ints(values), c.dtype(x)), c.Cast(c.Ints(places), index)};
  }
  Value* others = c.Less(c.Op("dragoman.FindSorted", {x, c.Op("Unique", {y})}), 0);
  const auto left = [&](Value* value) {
    return c.Op("Compress", {value, others}, {{"axis", std::int64_t{0}}});
  };
  return {left(x), c.Cast(left(c.Iota(c.Size(x, 0))), index)};
}

// Rows of several tensors, each at the place that its number names; of equal ones the last.
Value* LowerDynamicStitch(Call& c) {
  const std::size_t count = c.num_operands() / 2;
  std::vector<Value*> places;
  std::vector<Value*> rows;
  std::optional<Ints> known = Ints();
  for (std::size_t i = 0; i < count && !c.failed(); ++i) {
    const std::optional<Ints> some = c.MaybeKnownInts(i);
    if (known && some) {
      known->insert(known->end(), some->begin(), some->end());
    } else {
      known.reset();
    }
    Value* data = c.Tensor(count + i);
    const int rank = c.Rank(c.Tensor(i));
    const int data_rank = c.Rank(data);
    if (c.failed()) return nullptr;
    if (data_rank < rank) return c.Fail(InvalidInput("data of a lower rank than its numbers"));
    places.push_back(c.Flatten(c.Index(i)));
    rows.push_back(
        c.Reshape(data, c.ConcatSizes({c.Ints({-1}), c.SizeVector(data, rank, data_rank - rank)})));
  }
  if (count == 0) return c.Fail(InvalidInput("there is nothing to put together"));
  Value* all = c.Concat(std::move(rows), 0);
  if (c.failed()) return nullptr;
  if (known && !known->empty()) {
    const std::int64_t last = *std::max_element(known->begin(), known->end());
    const std::int64_t least = *std::min_element(known->begin(), known->end());
    if (least < 0) return c.Fail(InvalidInput("a negative place"));
    if (last < static_cast<std::int64_t>(known->size())) {
      Ints order(static_cast<std::size_t>(last) + 1, -1);
      for (std::size_t i = 0; i < known->size(); ++i)
        order[static_cast<std::size_t>((*known)[i])] = static_cast<std::int64_t>(i);
      if (std::find(order.begin(), order.end(), -1) == order.end())
        return c.Gather(all, c.Ints(order), 0);
    }
  }
  Value* place = c.Concat(std::move(places), 0);
  Value* size = c.Add(c.ReduceAll("ReduceMax", place), 1);
  Value* zeros = c.Full(c.ConcatSizes({c.Vector(size), c.SizeVector(all, 1, c.Rank(all) - 1)}), 0,
                        c.dtype(all));
  return c.Op("ScatterND", {zeros, c.Unsqueeze(place, {1}), all});
}

// The rows that have each number.
std::vector<Value*> LowerDynamicPartition(Call& c) {
  Value* data = c.Tensor(0);
  Value* numbers = c.Index(1);
  const auto count = static_cast<std::int64_t>(c.num_results());
  const int rank = c.Rank(numbers);
  const int data_rank = c.Rank(data);
  if (!c.failed() && data_rank < rank)
    c.Fail(InvalidInput("data of a lower rank than its numbers"));
  if (c.failed()) return {};
  Value* rows =
      c.Reshape(data, c.ConcatSizes({c.Ints({-1}), c.SizeVector(data, rank, data_rank - rank)}));
  Value* flat = c.Flatten(numbers);
  std::vector<Value*> parts;
  for (std::int64_t i = 0; i < count && !c.failed(); ++i) {
    Value* mask = c.Equal(flat, c.Int(i));
    parts.push_back(c.Op("Compress", {rows, mask}, {{"axis", std::int64_t{0}}}));
  }
  return parts;
}

}  // namespace

std::span<const OpRow> SegmentsRows() {
  static constexpr OpRow kRows[] = {
      {"Bucketize", LowerBucketize},
      {"DynamicPartition", LowerDynamicPartition},
      {"DynamicStitch", LowerDynamicStitch},
      {"ListDiff", LowerListDiff},
      {"LowerBound", With<LowerSortedBound, false>},
      {"ParallelDynamicStitch", LowerDynamicStitch},
      {"SegmentMax", LowerSortedSegmentReduce, "max"},
      {"SegmentMaxV2", LowerSegmentReduceOfCount, "max"},
      {"SegmentMin", LowerSortedSegmentReduce, "min"},
      {"SegmentMinV2", LowerSegmentReduceOfCount, "min"},
      {"SegmentProd", LowerSortedSegmentReduce, "mul"},
      {"SegmentProdV2", LowerSegmentReduceOfCount, "mul"},
      {"SegmentSumV2", LowerSegmentReduceOfCount, "add"},
      {"UnsortedSegmentMax", LowerSegmentReduceOfCount, "max"},
      {"UnsortedSegmentMin", LowerSegmentReduceOfCount, "min"},
      {"UnsortedSegmentProd", LowerSegmentReduceOfCount, "mul"},
      {"UpperBound", With<LowerSortedBound, true>},
  };
  return kRows;
}

}  // namespace dragoman::tf

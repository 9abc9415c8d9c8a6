// SPDX-License-Identifier: Apache-2.0
// Operators from sparse tensors to sparse ones, and between sparse and dense ones.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/extremes.h"
#include "importers/tensorflow/ops/sparse_form.h"

namespace dragoman::tf {
namespace {

// A dense tensor of `sizes`, with `values` added up at `indices`.
Value* Scatter(Call& c, Value* sizes, Value* indices, Value* values) {
  Value* zeros = c.Full(sizes, 0, c.dtype(values));
  return c.Op("ScatterND", {zeros, indices, values}, {{"reduction", "add"}});
}

// Columns `axes` of indices, or entries of sizes.
Value* Columns(Call& c, Value* x, const Ints& axes, int axis) {
  return c.Gather(x, c.Ints(axes), axis);
}

// Whether each element lies in [start, start + size).
Value* IsWithin(Call& c, Value* indices, Value* start, Value* size) {
  Value* place = c.Sub(indices, start);
  Value* inside = c.And(c.GreaterOrEqual(place, 0), c.Less(place, size));
  return c.Cast(c.Reduce("ReduceMin", c.Cast(inside, DType::kI32), {1}, false), DType::kBool);
}

// What is left of x between `start` and `start` + `size`.
SparseTensor Part(Call& c, const SparseTensor& x, Value* start, Value* size) {
  SparseTensor part = Filtered(c, x, IsWithin(c, x.indices, start, size));
  part.indices = c.Sub(part.indices, start);
  part.sizes = c.Max(c.Min(size, c.Sub(x.sizes, start)), 0);
  return part;
}

std::vector<Value*> SparseResults(const SparseTensor& x) { return {x.indices, x.values, x.sizes}; }

// The axes of operand 3 in order, each once, and those that are left.
struct Axes {
  Ints reduced;
  Ints kept;
};

Axes TakeAxes(Call& c, std::int64_t count) {
  Axes axes;
  Ints stated = c.KnownInts(3, "an axis");
  for (std::int64_t& axis : stated) axis = c.Axis(axis, static_cast<int>(count));
  for (std::int64_t axis = 0; axis < count; ++axis) {
    const bool reduces = std::find(stated.begin(), stated.end(), axis) != stated.end();
    (reduces || stated.empty() ? axes.reduced : axes.kept).push_back(axis);
  }
  return axes;
}

std::vector<Value*> LowerSparseReorder(Call& c) {
  const SparseTensor ordered = InOrder(c, TakeSparse(c, 0));
  return {ordered.indices, ordered.values};
}

std::vector<Value*> LowerSparseSlice(Call& c) {
  return SparseResults(Part(c, TakeSparse(c, 0), c.Index(3), c.Index(4)));
}

// Parts along an axis; the first ones have an element more if they cannot be equal.
std::vector<Value*> LowerSparseSplit(Call& c) {
  const std::int64_t stated = c.KnownInt(0, "the axis");
  const SparseTensor x = TakeSparse(c, 1);
  const std::int64_t count = c.IntAttribute("num_split");
  const int rank = static_cast<int>(NumAxes(c, x.sizes));
  const int axis = c.Axis(stated, rank);
  constexpr std::int64_t kMost = 1024;
  if (!c.failed() && (count < 1 || count > kMost)) c.Fail(InvalidInput("num_split out of range"));
  if (c.failed()) return {};
  Ints along(static_cast<std::size_t>(rank), 0);
  along[static_cast<std::size_t>(axis)] = 1;
  Value* is_axis = c.Ints(along);
  Value* size = c.Select(x.sizes, 0, axis);
  Value* least = c.Div(size, static_cast<int>(count));
  Value* longer = c.Op("Mod", {size, c.Int(count)});
  std::vector<SparseTensor> parts;
  Value* start = c.Int(0);
  for (std::int64_t i = 0; i < count && !c.failed(); ++i) {
    Value* length = c.Add(least, c.Cast(c.Greater(longer, static_cast<int>(i)), DType::kI64));
    Value* sizes = c.Where(c.Equal(is_axis, 1), length, x.sizes);
    parts.push_back(Part(c, x, c.Mul(is_axis, start), sizes));
    start = c.Add(start, length);
  }
  std::vector<Value*> results;
  for (const auto member : {&SparseTensor::indices, &SparseTensor::values, &SparseTensor::sizes}) {
    for (const SparseTensor& part : parts) results.push_back(part.*member);
  }
  return results;
}

// N lists of indices, N of values, N of sizes.
std::vector<Value*> LowerSparseConcat(Call& c) {
  const std::size_t count = c.num_operands() / 3;
  if (count == 0) c.Fail(InvalidInput("there is nothing to join"));
  std::vector<SparseTensor> parts;
  for (std::size_t i = 0; i < count && !c.failed(); ++i)
    parts.push_back({c.Index(i), c.Tensor(count + i), c.Index(2 * count + i)});
  if (c.failed()) return {};
  const int rank = static_cast<int>(NumAxes(c, parts[0].sizes));
  const int axis = c.Axis(c.IntAttribute("concat_dim"), rank);
  if (c.failed()) return {};
  Ints along(static_cast<std::size_t>(rank), 0);
  along[static_cast<std::size_t>(axis)] = 1;
  Value* is_axis = c.Ints(along);
  Value* offset = c.Int(0);
  std::vector<Value*> indices;
  std::vector<Value*> values;
  for (const SparseTensor& part : parts) {
    indices.push_back(c.Add(part.indices, c.Mul(is_axis, offset)));
    values.push_back(part.values);
    offset = c.Add(offset, c.Select(part.sizes, 0, axis));
  }
  Value* sizes = c.Where(c.Equal(is_axis, 1), offset, parts[0].sizes);
  return SparseResults(InOrder(c, {c.Concat(indices, 0), c.Concat(values, 0), sizes}));
}

// The sum, without elements that are less than a threshold.
std::vector<Value*> LowerSparseAdd(Call& c) {
  const SparseTensor a = TakeSparse(c, 0);
  const SparseTensor b = TakeSparse(c, 3);
  Value* numbers =
      c.Concat({FlatNumbers(c, a.indices, a.sizes), FlatNumbers(c, b.indices, b.sizes)}, 0);
  const std::vector<Value*> unique = c.Ops("Unique", {numbers}, {{"sorted", std::int64_t{1}}}, 4);
  Value* values = c.Concat({a.values, b.values}, 0);
  Value* sums = Scatter(c, c.SizeVector(unique[0], 0, 1), c.Unsqueeze(unique[2], {1}), values);
  Value* size = c.Abs(sums);
  SparseTensor sum{IndicesOf(c, unique[0], a.sizes), sums, a.sizes};
  return SparseResults(Filtered(c, sum, c.GreaterOrEqual(size, c.CastLike(c.Tensor(6), size))));
}

// Target: "sum" or "max", which is 0 where there are no elements.
Value* LowerSparseReduce(Call& c) {
  const SparseTensor x = TakeSparse(c, 0);
  const std::int64_t rank = NumAxes(c, x.sizes);
  const Axes axes = TakeAxes(c, rank);
  const bool keep = c.BoolAttribute("keep_dims");
  if (c.failed()) return nullptr;
  Value* sizes = Columns(c, x.sizes, axes.kept, 0);
  Value* indices = Columns(c, x.indices, axes.kept, 1);
  Value* found = nullptr;
  if (c.target() == "sum") {
    found = axes.kept.empty() ? c.ReduceSum(x.values, {0}) : Scatter(c, sizes, indices, x.values);
  } else {
    // One place more keeps a tensor without axes a tensor with one.
    Value* flat = axes.kept.empty() ? c.Full(c.SizeVector(x.values, 0, 1), 0, DType::kI64)
                                    : FlatNumbers(c, indices, sizes);
    Value* count = c.Vector(axes.kept.empty() ? c.Int(1) : c.ReduceAll("ReduceProd", sizes));
    Value* place = c.Unsqueeze(flat, {1});
    Value* most = c.Op("ScatterND",
                       {c.Expand(BeyondType(c, c.dtype(x.values), false), count), place, x.values},
                       {{"reduction", "max"}});
    Value* hits = Scatter(c, count, place, c.Full(c.SizeVector(x.values, 0, 1), 1, DType::kI32));
    found = c.Reshape(c.Where(c.Greater(hits, 0), most, 0), sizes);
  }
  return keep ? c.Unsqueeze(found, axes.reduced) : found;
}

Value* LowerSparseTensorDenseAdd(Call& c) {
  return c.Op("ScatterND", {c.Tensor(3), c.Index(0), c.Tensor(1)}, {{"reduction", "add"}});
}

// The values of the sparse tensor, each combined with that of the dense one, which broadcasts.
// Target: the operator.
Value* LowerSparseDenseBinary(Call& c) {
  const SparseTensor x = TakeSparse(c, 0);
  Value* dense = c.Expand(c.Tensor(3), x.sizes);
  return c.Op(c.target(), {x.values, c.Op("GatherND", {dense, x.indices})});
}

// Over the stored elements of each row, the last axis.
Value* LowerSparseSoftmax(Call& c) {
  const SparseTensor x = TakeSparse(c, 0);
  const std::int64_t rank = NumAxes(c, x.sizes);
  if (!c.failed() && rank < 2) c.Fail(InvalidInput("a sparse tensor without rows"));
  if (c.failed()) return nullptr;
  Ints outer = AllAxes(static_cast<int>(rank) - 1);
  Value* sizes = Columns(c, x.sizes, outer, 0);
  Value* rows = FlatNumbers(c, Columns(c, x.indices, outer, 1), sizes);
  Value* count = c.Vector(c.ReduceAll("ReduceProd", sizes));
  Value* place = c.Unsqueeze(rows, {1});
  constexpr double kLeast = -std::numeric_limits<double>::infinity();
  Value* most = c.Op("ScatterND", {c.Full(count, kLeast, c.dtype(x.values)), place, x.values},
                     {{"reduction", "max"}});
  Value* powers = c.Exp(c.Sub(x.values, c.Gather(most, rows, 0)));
  return c.Div(powers, c.Gather(Scatter(c, count, place, powers), rows, 0));
}

// How often each number below `size` is a value of each row, or the sum of its weights.
Value* LowerSparseBincount(Call& c) {
  const SparseTensor x = TakeSparse(c, 0);
  Value* numbers = c.Cast(x.values, DType::kI64);
  Value* size = c.IndexNumber(3);
  Value* weights = c.Tensor(4);
  const std::int64_t rank = NumAxes(c, x.sizes);
  if (!c.failed() && rank > 2) c.Fail(InvalidInput("a sparse tensor of more than 2 axes"));
  if (c.failed()) return nullptr;
  Value* rows =
      rank == 1 ? c.Full(c.SizeVector(numbers, 0, 1), 0, DType::kI64) : c.Select(x.indices, 1, 0);
  Value* counts = CountInRows(c, {rows, rank == 1 ? c.Int(1) : c.Select(x.sizes, 0, 0)}, numbers,
                              size, weights);
  return rank == 1 ? c.Squeeze(counts, {0}) : counts;
}

}  // namespace

std::span<const OpRow> SparseTensorsRows() {
  static constexpr OpRow kRows[] = {
      {"SparseAdd", LowerSparseAdd},
      {"SparseBincount", LowerSparseBincount},
      {"SparseConcat", LowerSparseConcat},
      {"SparseDenseCwiseAdd", LowerSparseDenseBinary, "Add"},
      {"SparseDenseCwiseDiv", LowerSparseDenseBinary, "Div"},
      {"SparseDenseCwiseMul", LowerSparseDenseBinary, "Mul"},
      {"SparseReduceMax", LowerSparseReduce, "max"},
      {"SparseReduceSum", LowerSparseReduce, "sum"},
      {"SparseReorder", LowerSparseReorder},
      {"SparseSlice", LowerSparseSlice},
      {"SparseSoftmax", LowerSparseSoftmax},
      {"SparseSplit", LowerSparseSplit},
      {"SparseTensorDenseAdd", LowerSparseTensorDenseAdd},
  };
  return kRows;
}

}  // namespace dragoman::tf

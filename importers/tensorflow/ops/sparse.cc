// SPDX-License-Identifier: Apache-2.0
// Sparse tensors: indices, values and sizes; and sums of rows that indices choose.
#include "importers/tensorflow/ops/op_rows.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/sparse_form.h"

namespace dragoman::tf {
namespace {

Value* LowerSparseToDense(Call& c) {
  Value* indices = c.Index(0);
  Value* sizes = c.Index(1);
  Value* values = c.Tensor(2);
  const int rank = c.Rank(indices);
  const int value_rank = c.Rank(values);
  if (c.failed()) return nullptr;
  if (rank > 2 || value_rank > 1) return c.Fail(InvalidInput("indices or values of too high rank"));
  if (rank == 0) indices = c.Reshape(indices, {1, 1});
  if (rank == 1) indices = c.Unsqueeze(indices, {1});
  if (value_rank == 0) values = c.Expand(values, c.SizeVector(indices, 0, 1));
  return c.Op("ScatterND", {c.Expand(c.Tensor(3), sizes), indices, values});
}

Value* LowerSparseTensorDenseMatMul(Call& c) {
  Value* indices = c.Index(0);
  Value* values = c.Tensor(1);
  Value* b = c.Tensor(3);
  if (c.failed()) return nullptr;
  if (IsComplex(c.dtype(values))) return c.Fail("complex sparse matrices");
  Value* zeros = c.Full(c.Index(2), 0, c.dtype(values));
  Value* a = c.Op("ScatterND", {zeros, indices, values}, {{"reduction", "add"}});
  if (c.BoolAttribute("adjoint_a")) a = c.Transpose(a, {1, 0});
  if (c.BoolAttribute("adjoint_b")) b = c.Transpose(b, {1, 0});
  return c.Op("MatMul", {a, b});
}

// What sums of segments are divided by.
enum class Divisor { kNone, kCount, kRootOfCount };

// Rows `indices` of `data`, added up by segment; target: "sum", "mean" or "sqrt" of their number.
Value* LowerSparseSegmentReduce(Call& c, Divisor divisor) {
  Value* data = c.Tensor(0);
  Value* rows = c.Gather(data, c.Index(1), 0);
  Value* segments = c.Index(2);
  if (c.failed()) return nullptr;
  Value* count =
      c.num_operands() > 3 ? c.IndexNumber(3) : c.Add(c.ReduceAll("ReduceMax", segments), 1);
  const int rank = c.Rank(data);
  Value* place = c.Unsqueeze(segments, {1});
  Value* zeros =
      c.Full(c.ConcatSizes({c.Vector(count), c.SizeVector(data, 1, rank - 1)}), 0, c.dtype(data));
  Value* sum = c.Op("ScatterND", {zeros, place, rows}, {{"reduction", "add"}});
  if (divisor == Divisor::kNone) return sum;
  Value* ones = c.Full(c.SizeVector(segments, 0, 1), 1, c.dtype(data));
  Value* none = c.Full(c.Vector(count), 0, c.dtype(data));
  Value* members = c.Max(c.Op("ScatterND", {none, place, ones}, {{"reduction", "add"}}), 1);
  return c.Div(sum, AlongAxis(c, divisor == Divisor::kCount ? members : c.Sqrt(members), 0, rank));
}

// The same elements in a tensor of other sizes, of which one may be -1.
std::vector<Value*> LowerSparseReshape(Call& c) {
  Value* indices = c.Index(0);
  Value* from = c.Index(1);
  Value* to = c.Index(2);
  if (c.failed()) return {};
  Value* elements = c.ReduceAll("ReduceProd", from);
  Value* stated = c.ReduceAll("ReduceProd", c.Where(c.Equal(to, -1), 1, to));
  Value* sizes = c.Where(c.Equal(to, -1), c.Div(elements, c.Max(stated, 1)), to);
  return {IndicesOf(c, FlatNumbers(c, indices, from), sizes), sizes};
}

// Rows without an element get one, `default_value` in their first column.
std::vector<Value*> LowerSparseFillEmptyRows(Call& c) {
  Value* indices = c.Index(0);
  Value* values = c.Tensor(1);
  Value* sizes = c.Index(2);
  Value* number = c.Select(indices, 1, 0);
  Value* rows = c.Select(sizes, 0, 0);
  if (c.failed()) return {};
  Value* given = c.SizeVector(indices, 0, 1);
  Value* none = c.Full(c.Vector(rows), 0, DType::kI64);
  Value* counts = c.Op("ScatterND", {none, c.Unsqueeze(number, {1}), c.Full(given, 1, DType::kI64)},
                       {{"reduction", "add"}});
  Value* empty = c.Equal(counts, 0);
  // (1, rows without an element)
  Value* places = c.Transpose(c.Op("NonZero", {empty}), {1, 0});
  Value* width = c.Sub(c.SizeVector(indices, 1, 1), 1);
  Value* zeros = c.Full(c.ConcatSizes({c.SizeVector(places, 0, 1), width}), 0, DType::kI64);
  Value* all = c.Concat({indices, c.Concat({places, zeros}, 1)}, 0);
  Value* filler = c.Expand(c.Reshape(c.Tensor(3), {1}), c.SizeVector(places, 0, 1));
  Value* all_values = c.Concat({values, filler}, 0);
  // By rows; those of one row stay in their order.
  Value* total = c.Size(all, 0);
  Value* key = c.Add(c.Mul(c.Select(all, 1, 0), total), c.Iota(total));
  Value* order = SmallestFirst(c, key);
  Value* place = c.Op("ScatterElements", {order, order, c.Iota(total)});
  Value* reverse = c.Slice(place, 0, c.Ints({0}), given, c.Ints({1}));
  return {c.Gather(all, order, 0), c.Gather(all_values, order, 0), empty, reverse};
}

}  // namespace

std::span<const OpRow> SparseRows() {
  static constexpr OpRow kRows[] = {
      {"SparseFillEmptyRows", LowerSparseFillEmptyRows},
      {"SparseReshape", LowerSparseReshape},
      {"SparseSegmentMean", With<LowerSparseSegmentReduce, Divisor::kCount>},
      {"SparseSegmentMeanWithNumSegments", With<LowerSparseSegmentReduce, Divisor::kCount>},
      {"SparseSegmentSqrtN", With<LowerSparseSegmentReduce, Divisor::kRootOfCount>},
      {"SparseSegmentSqrtNWithNumSegments", With<LowerSparseSegmentReduce, Divisor::kRootOfCount>},
      {"SparseSegmentSum", With<LowerSparseSegmentReduce, Divisor::kNone>},
      {"SparseSegmentSumWithNumSegments", With<LowerSparseSegmentReduce, Divisor::kNone>},
      {"SparseTensorDenseMatMul", LowerSparseTensorDenseMatMul},
      {"SparseToDense", LowerSparseToDense},
  };
  return kRows;
}

}  // namespace dragoman::tf

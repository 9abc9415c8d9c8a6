// SPDX-License-Identifier: Apache-2.0
// Matrices of few elements: their values, the column of each, and where each row begins. Of
// matrices of blocks, these are blocks, columns of blocks and rows of blocks. Or tensors: the place
// of each value, (elements, axes).
#include "importers/relay/ops/op_rows.h"

#include <vector>

namespace dragoman::relay {
namespace {

// The row of each of `count` elements, (count, 1), where rows begin at `begins`.
Value* RowsOf(Call& c, Value* begins, Value* count) {
  // As many rows end at or before an element as lie above it.
  Value* ends = c.Unsqueeze(c.Slice(begins, 0, 1, kEnd), {0});
  Value* number = c.Unsqueeze(c.Iota(count), {1});
  return c.ReduceSum(c.Cast(c.LessOrEqual(ends, number), DType::kI64), {1}, true);
}

// The places of `keys` (rank 1) in rising order; equal ones stay in theirs.
Value* RisingOrder(Call& c, Value* keys) {
  return c.Ops("TopK", {keys, c.SizeVector(keys, 0, 1)}, {{"largest", std::int64_t{0}}}, 2)[1];
}

// The matrix of operands `at`, `at` + 1 and `at` + 2, with all of its elements. `columns`: how many
// it has, of rank 1.
Value* DenseOf(Call& c, std::size_t at, Value* columns) {
  Value* values = c.Tensor(at);
  Value* places = c.Index(at + 1);
  Value* begins = c.Index(at + 2);
  const int rank = c.Rank(values);
  if (c.failed()) return nullptr;
  if (rank != 1 && rank != 3) return c.Fail(InvalidInput("values are neither numbers nor blocks"));
  Value* rows = RowsOf(c, begins, c.Size(places, 0));
  Value* indices = c.Concat({rows, c.Unsqueeze(places, {1})}, 1);
  Value* count = c.Sub(c.SizeVector(begins, 0, 1), 1);
  if (rank == 1) {
    Value* zeros = c.Expand(c.Number(0, values), c.ConcatSizes({count, columns}));
    return c.Op("ScatterND", {zeros, indices, values});
  }
  Value* across = c.Op("Div", {columns, c.SizeVector(values, 2, 1)});
  Value* shape = c.ConcatSizes({count, across, c.SizeVector(values, 1, 2)});
  Value* zeros = c.Expand(c.Number(0, values), shape);
  Value* blocks = c.Op("ScatterND", {zeros, indices, values});
  return c.Reshape(c.Transpose(blocks, {0, 2, 1, 3}), c.ConcatSizes({c.Ints({-1}), columns}));
}

// dense · sparseᵀ, or sparse · denseᵀ.
Value* LowerSparseDense(Call& c) {
  const bool left = c.Bool("sparse_lhs", false);
  Value* dense = c.Tensor(left ? 3 : 0);
  Value* sparse = DenseOf(c, left ? 0 : 1, c.SizeVector(dense, 1, 1));
  Value* a = left ? sparse : dense;
  Value* b = left ? dense : sparse;
  return c.Op("MatMul", {a, c.Transpose(b, {1, 0})});
}

Value* LowerSparseAdd(Call& c) {
  Value* dense = c.Tensor(0);
  return c.Add(dense, DenseOf(c, 1, c.SizeVector(dense, 1, 1)));
}

// A square matrix on its side: (values, columns, where rows begin).
std::vector<Value*> LowerSparseTranspose(Call& c) {
  Value* values = c.Tensor(0);
  Value* columns = c.Index(1);
  Value* begins = c.Index(2);
  if (c.failed()) return {};
  if (c.Rank(values) != 1) return {c.Fail("a matrix of blocks"), nullptr, nullptr};
  Value* order = RisingOrder(c, columns);
  Value* rows = c.Squeeze(RowsOf(c, begins, c.Size(columns, 0)), {1});
  // A row begins after all elements of rows above it.
  Value* number = c.Unsqueeze(c.Iota(c.Size(begins, 0)), {1});
  Value* is_above = c.Less(c.Unsqueeze(columns, {0}), number);
  Value* starts = c.ReduceSum(c.Cast(is_above, DType::kI64), {1});
  return {c.Gather(values, order, 0), c.CastLike(c.Gather(rows, order, 0), c.Tensor(1)),
          c.CastLike(starts, c.Tensor(2))};
}

// (places, values, which rows were empty), all int64: rows without a value get one, in their first
// column. TVM 0.8 to 0.18 names of empty rows beside each other the first only; here it is all.
std::vector<Value*> LowerSparseFillEmptyRows(Call& c) {
  Value* places = c.Index(0);
  Value* values = c.Index(1);
  Value* height = c.Select(c.Index(2), 0, 0);
  Value* otherwise = c.Reshape(c.Index(3), {1});
  Value* rows = c.Select(places, 1, 0);
  Value* full = c.Expand(c.Int(0), c.SizeVector(rows, 0, 1));
  Value* empty = c.Full(c.Vector(height), 1, DType::kI64);
  empty = c.Op("ScatterElements", {empty, rows, full});
  Value* missing = c.Op("NonZero", {empty});
  Value* added = c.Transpose(missing, {1, 0});
  if (c.failed()) return {};
  Value* zeros =
      c.Full(c.ConcatSizes({c.SizeVector(added, 0, 1), c.Sub(c.SizeVector(places, 1, 1), 1)}), 0,
             DType::kI64);
  places = c.Concat({places, c.Concat({added, zeros}, 1)}, 0);
  values = c.Concat({values, c.Expand(otherwise, c.SizeVector(added, 0, 1))}, 0);
  Value* order = RisingOrder(c, c.Select(places, 1, 0));
  return {c.Gather(places, order, 0), c.Gather(values, order, 0), empty};
}

// Places (elements, axes) in a tensor of one shape as those in one of another: (places, shape).
std::vector<Value*> LowerSparseReshape(Call& c) {
  Value* places = c.Index(0);
  const DType dtype = c.dtype(c.Tensor(0));
  const Ints from = c.KnownInts(1, "the shape");
  Ints to = c.KnownInts(2, "the new shape");
  if (c.failed()) return {nullptr, nullptr};
  std::int64_t elements = 1, known = 1;
  for (std::int64_t size : from) elements *= size;
  for (std::int64_t size : to) known *= size == -1 ? 1 : size;
  for (std::int64_t& size : to) {
    if (size == -1) size = known > 0 ? elements / known : 0;
    if (size < 1) return {c.Fail("a shape without elements"), nullptr};
  }
  const auto steps = [](const Ints& sizes) {
    Ints result(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;) result[i - 1] = result[i] * sizes[i];
    return result;
  };
  Value* flat = c.ReduceSum(c.Mul(places, c.Ints(steps(from))), {1}, true);
  Value* whole = c.Op("Div", {flat, c.Ints(steps(to))});
  Value* rest = c.Op("Mod", {whole, c.Ints(to)});
  return {c.Cast(rest, dtype), c.Cast(c.Ints(to), c.dtype(c.Tensor(2)))};
}

}  // namespace

std::span<const OpRow> SparseRows() {
  static constexpr OpRow kRows[] = {
      {"nn.sparse_add", LowerSparseAdd},
      {"nn.sparse_dense", LowerSparseDense},
      {"nn.sparse_transpose", LowerSparseTranspose},
      {"sparse_fill_empty_rows", LowerSparseFillEmptyRows},
      {"sparse_reshape", LowerSparseReshape},
  };
  return kRows;
}

}  // namespace dragoman::relay

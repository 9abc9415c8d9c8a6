// Matrices of few elements: their values, the column of each, and where each row begins. Of
// matrices of blocks, these are blocks, columns of blocks and rows of blocks.
#include <vector>

#include "importers/relay/ops/lowerings.h"

namespace dragoman::relay {
namespace {

// The matrix of operands `at`, `at` + 1 and `at` + 2, with all of its elements. `columns`: how many
// it has, of rank 1.
Value* DenseOf(Call& c, std::size_t at, Value* columns) {
  Value* values = c.Tensor(at);
  Value* places = c.Index(at + 1);
  Value* begins = c.Index(at + 2);
  const int rank = c.Rank(values);
  if (c.failed()) return nullptr;
  if (rank != 1 && rank != 3) return c.Fail(InvalidInput("values are neither numbers nor blocks"));
  // As many rows end at or before an element as lie above it.
  Value* ends = c.Unsqueeze(c.Slice(begins, 0, 1, kEnd), {0});
  Value* number = c.Unsqueeze(c.Iota(c.Size(places, 0)), {1});
  Value* rows = c.ReduceSum(c.Cast(c.LessOrEqual(ends, number), DType::kI64), {1}, true);
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

}  // namespace

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

}  // namespace dragoman::relay

// SPDX-License-Identifier: Apache-2.0
// Complex matrices as real ones of twice the size: x + iy becomes the block [x -y; y x], and sums,
// products, inverses and adjoints of such matrices are those of the complex ones. So is the factor
// of Cholesky, which is unique, since blocks on its diagonal are real.
#include <algorithm>

#include "core/lowering/complex.h"
#include "importers/torch/ops/matrices.h"

namespace dragoman::torch {
namespace {

// (…, n, m, 2) of two tensors (…, n, m).
Value* SideBySide(Composer& c, Value* a, Value* b, int axis) {
  return c.Concat({c.Unsqueeze(a, {axis}), c.Unsqueeze(b, {axis})}, axis);
}

}  // namespace

bool AnyComplex(const Composer& c, std::initializer_list<const Value*> values) {
  return std::any_of(values.begin(), values.end(),
                     [&](const Value* value) { return IsComplex(c.dtype(value)); });
}

Value* BlocksOf(Composer& c, Value* x) {
  const int rank = c.Rank(x);
  Parts parts = PartsOf(c, x);
  if (!c.failed() && !IsComplex(c.dtype(x))) parts.im = c.Mul(x, 0);
  Value* above = SideBySide(c, parts.re, c.Neg(parts.im), rank);
  Value* below = SideBySide(c, parts.im, parts.re, rank);
  Value* blocks = SideBySide(c, above, below, rank - 1);
  Value* doubled = c.Mul(c.SizeVector(parts.re, rank - 2, 2), 2);
  if (rank == 2) return c.Reshape(blocks, doubled);
  return c.Reshape(blocks, c.ConcatSizes({c.SizeVector(parts.re, 0, rank - 2), doubled}));
}

Value* HermitianBlocksOf(Composer& c, Value* x) {
  const Parts parts = PartsOf(c, x);
  Value* rows = Rows(c, x);
  return BlocksOf(c, FromParts(c, {parts.re, c.Where(OnDiagonal(c, rows, rows), 0, parts.im)}));
}

Value* FromBlocks(Composer& c, Value* blocks) {
  const int rank = c.Rank(blocks);
  Value* left = c.Slice(blocks, rank - 1, 0, kEnd, 2);
  Value* rows = c.Vector(c.Div(Rows(c, left), 2));
  Value* columns = c.Vector(Columns(c, left));
  std::vector<Value*> sizes = {rows, c.Ints({2}), columns};
  if (rank > 2) sizes.insert(sizes.begin(), c.SizeVector(left, 0, rank - 2));
  return FromPairs(c, c.SwapAxes(c.Reshape(left, c.ConcatSizes(std::move(sizes))), rank - 1, rank));
}

Value* Adjoint(Composer& c, Value* x) {
  return Transposed(c, AnyComplex(c, {x}) ? Conjugate(c, x) : x);
}

}  // namespace dragoman::torch

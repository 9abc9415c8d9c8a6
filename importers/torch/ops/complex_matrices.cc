// Complex matrices as real ones of twice the size: x + iy becomes the block [x -y; y x], and sums,
// products, inverses and adjoints of such matrices are those of the complex ones. So is the factor
// of Cholesky, which is unique, since blocks on its diagonal are real. Those of Gauss are not: they
// are made in a loop.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/lowering/complex.h"
#include "core/lowering/name_body.h"
#include "importers/torch/ops/matrices.h"

namespace dragoman::torch {
namespace {

// (…, n, m, 2) of two tensors (…, n, m).
Value* SideBySide(Composer& c, Value* a, Value* b, int axis) {
  return c.Concat({c.Unsqueeze(a, {axis}), c.Unsqueeze(b, {axis})}, axis);
}

// One step of Gaussian elimination on matrices (…, n, m): the values that the loop carries, and the
// index of the step.
struct Elimination {
  Value* re;
  Value* im;
  Value* rows;  // (…, n)
};

// What the steps share: the numbers of rows and columns, (n) and (m).
struct Places {
  Value* row;
  Value* column;
};

// Exchanges row `step` with the one whose element in that column is the largest, whose number it
// gives: (…, 1).
Value* ExchangeRows(Composer& c, Value* step, const Places& places, Elimination& state) {
  const int rank = c.Rank(state.re);
  const std::vector<NamedAttribute> along_rows = {{"axis", std::int64_t{rank - 2}}};
  Value* size =
      c.Add(c.Abs(c.Gather(state.re, step, rank - 1)), c.Abs(c.Gather(state.im, step, rank - 1)));
  Value* open = c.Where(c.Less(places.row, step), -1, size);
  Value* pivot = c.Op("ArgMax", {open}, along_rows);
  Value* moved = c.Where(c.Equal(places.row, pivot), step, places.row);
  Value* order = c.Where(c.Equal(places.row, step), pivot, moved);
  Value* spread = c.Expand(c.Unsqueeze(order, {rank - 1}), c.Shape(state.re));
  state.re = c.Op("GatherElements", {state.re, spread}, along_rows);
  state.im = c.Op("GatherElements", {state.im, spread}, along_rows);
  state.rows = c.Op("GatherElements", {state.rows, order}, along_rows);
  return pivot;
}

// Takes row `step`, times what makes the elements below it in that column vanish, off the rows
// below; the factors take the place of these elements.
void Eliminate(Composer& c, Value* step, const Places& places, Elimination& state) {
  const int rank = c.Rank(state.re);
  Value* at = c.Vector(step);
  Value* top = FromParts(c, {c.Gather(state.re, at, rank - 2), c.Gather(state.im, at, rank - 2)});
  Value* left = FromParts(c, {c.Gather(state.re, at, rank - 1), c.Gather(state.im, at, rank - 1)});
  const Parts pivot = PartsOf(c, c.Gather(top, at, rank - 1));
  Value* is_zero = c.And(c.Equal(pivot.re, 0), c.Equal(pivot.im, 0));
  Value* divisor = FromParts(c, {c.Where(is_zero, 1, pivot.re), pivot.im});
  Value* factor = c.Div(left, divisor);
  const Parts factors = PartsOf(c, factor);
  const Parts product = PartsOf(c, c.Mul(factor, top));
  Value* below = c.Greater(c.Unsqueeze(places.row, {1}), step);
  Value* behind = c.And(below, c.Greater(places.column, step));
  Value* under = c.And(below, c.Equal(places.column, step));
  const auto replaced = [&](Value* old, Value* subtracted, Value* by) {
    return c.Where(behind, c.Sub(old, subtracted), c.Where(under, by, old));
  };
  state.re = replaced(state.re, product.re, factors.re);
  state.im = replaced(state.im, product.im, factors.im);
}

}  // namespace

Lu FactorComplexLu(Composer& c, Value* a) {
  const Parts parts = PartsOf(c, a);
  const int rank = c.Rank(parts.re);
  const Places places{c.Iota(Rows(c, parts.re)), c.Iota(Columns(c, parts.re))};
  const Elimination first{parts.re, parts.im,
                          c.Expand(places.row, c.SizeVector(parts.re, 0, rank - 1))};
  if (c.failed()) return {};
  auto body = std::make_shared<Graph>();
  std::unordered_set<std::string> names;
  GraphBuilder builder(*body, c.builder().inference(), names);
  builder.set_origin(c.builder().origin());
  Value* step = body->AddInput("step", Type::Tensor(DType::kI64, Shape{}));
  Value* more = body->AddInput("more", Type::Tensor(DType::kBool, Shape{}));
  Elimination state{body->AddInput("re", first.re->type()), body->AddInput("im", first.im->type()),
                    body->AddInput("rows", first.rows->type())};
  Composer inner(builder);
  Value* pivot = inner.Squeeze(ExchangeRows(inner, step, places, state), {rank - 2});
  Eliminate(inner, step, places, state);
  Value* again = inner.Op("Identity", {more});
  c.Check(inner.status());
  if (c.failed()) return {};
  for (Value* output : {again, state.re, state.im, state.rows, pivot}) body->AddOutput(output);
  NameInModel(*body, c.builder());
  Value* count = c.Min(Rows(c, parts.re), Columns(c, parts.re));
  const std::vector<Value*> results =
      c.Ops("Loop", {count, c.BoolConstant(true), first.re, first.im, first.rows},
            {{"body", Attribute(body)}}, 4);
  std::vector<std::int64_t> steps_last = AllAxes(rank - 1);
  std::rotate(steps_last.begin(), steps_last.begin() + 1, steps_last.end());
  return {FromParts(c, {results[0], results[1]}), c.Transpose(results[3], std::move(steps_last)),
          results[2]};
}

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

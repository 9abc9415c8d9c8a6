// SPDX-License-Identifier: Apache-2.0
// Factors of complex matrices that are not those of real blocks: a loop takes one column after the
// other, on the parts of numbers.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/lowering/complex.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/matrices.h"
#include "importers/torch/ops/steps.h"

namespace dragoman::torch {
namespace {

// The numbers of the rows and columns of a matrix: (n) and (m).
struct Places {
  Value* row;
  Value* column;
};

Places PlacesOf(Composer& c, Value* x) { return {c.Iota(Rows(c, x)), c.Iota(Columns(c, x))}; }

// Column `step` of matrices, and row `step`: (…, n, 1) and (…, 1, m).
Value* ColumnAt(Composer& c, const Parts& x, Value* step) {
  const int axis = c.Rank(x.re) - 1;
  Value* at = c.Vector(step);
  return FromParts(c, {c.Gather(x.re, at, axis), c.Gather(x.im, at, axis)});
}
Value* RowAt(Composer& c, const Parts& x, Value* step) {
  const int axis = c.Rank(x.re) - 2;
  Value* at = c.Vector(step);
  return FromParts(c, {c.Gather(x.re, at, axis), c.Gather(x.im, at, axis)});
}

Parts Where(Composer& c, Value* condition, const Parts& a, const Parts& b) {
  return {c.Where(condition, a.re, b.re), c.Where(condition, a.im, b.im)};
}

// Exchanges row `step` of the state, the parts (…, n, m) and the order of rows (…, n), with the one
// whose element in that column is the largest, whose number it gives: (…, 1).
Value* ExchangeRows(Composer& c, Value* step, const Places& places, Values& state) {
  const int rank = c.Rank(state[0]);
  const std::vector<NamedAttribute> along_rows = {{"axis", std::int64_t{rank - 2}}};
  Value* size =
      c.Add(c.Abs(c.Gather(state[0], step, rank - 1)), c.Abs(c.Gather(state[1], step, rank - 1)));
  Value* open = c.Where(c.Less(places.row, step), -1, size);
  Value* pivot = c.Op("ArgMax", {open}, along_rows);
  Value* moved = c.Where(c.Equal(places.row, pivot), step, places.row);
  Value* order = c.Where(c.Equal(places.row, step), pivot, moved);
  Value* spread = c.Expand(c.Unsqueeze(order, {rank - 1}), c.Shape(state[0]));
  state[0] = c.Op("GatherElements", {state[0], spread}, along_rows);
  state[1] = c.Op("GatherElements", {state[1], spread}, along_rows);
  state[2] = c.Op("GatherElements", {state[2], order}, along_rows);
  return pivot;
}

// Takes row `step`, times what makes the elements below it in that column vanish, off the rows
// below; these factors take the place of the elements.
void Eliminate(Composer& c, Value* step, const Places& places, Values& state) {
  const Parts x{state[0], state[1]};
  Value* top = RowAt(c, x, step);
  const Parts pivot = PartsOf(c, ColumnAt(c, PartsOf(c, top), step));
  Value* is_zero = c.And(c.Equal(pivot.re, 0), c.Equal(pivot.im, 0));
  Value* divisor = FromParts(c, {c.Where(is_zero, 1, pivot.re), pivot.im});
  Value* factor = c.Div(ColumnAt(c, x, step), divisor);
  const Parts product = PartsOf(c, c.Mul(factor, top));
  Value* below = c.Greater(c.Unsqueeze(places.row, {1}), step);
  Value* behind = c.And(below, c.Greater(places.column, step));
  Value* under = c.And(below, c.Equal(places.column, step));
  const Parts rest{c.Sub(x.re, product.re), c.Sub(x.im, product.im)};
  const Parts after = Where(c, behind, rest, Where(c, under, PartsOf(c, factor), x));
  state[0] = after.re;
  state[1] = after.im;
}

// A reflection 1 - tau·v·v*, v of (…, n, 1).
struct Reflection {
  Value* v;
  Parts tau;  // (…, 1, 1)
  Value* beta;
};

// The one whose adjoint makes what is below row `step` of a column vanish, and the element there
// real, `beta`, as LAPACK chooses it.
Reflection ReflectionOf(Composer& c, Value* column, Value* step, const Places& places) {
  const Parts x = PartsOf(c, column);
  const int rank = c.Rank(x.re);
  const Parts alpha = PartsOf(c, RowAt(c, x, step));
  Value* row = c.Unsqueeze(places.row, {1});
  Value* below = c.Greater(row, step);
  Value* squares = c.Add(c.Mul(x.re, x.re), c.Mul(x.im, x.im));
  Value* tail = c.ReduceSum(c.Where(below, squares, 0), {rank - 2}, true);
  Value* is_done = c.And(c.Equal(tail, 0), c.Equal(alpha.im, 0));
  Value* head = c.Add(c.Mul(alpha.re, alpha.re), c.Mul(alpha.im, alpha.im));
  Value* norm = c.Sqrt(c.Add(head, tail));
  Value* beta = c.Where(c.Less(alpha.re, 0), norm, c.Neg(norm));
  Value* divisor = c.Where(is_done, 1, beta);
  const Parts tau{c.Where(is_done, 0, c.Div(c.Sub(beta, alpha.re), divisor)),
                  c.Where(is_done, 0, c.Div(c.Neg(alpha.im), divisor))};
  Value* apart = FromParts(c, {c.Where(is_done, 1, c.Sub(alpha.re, beta)), alpha.im});
  const Parts scaled = PartsOf(c, c.Div(column, apart));
  Value* one = c.Where(c.Equal(row, step), c.Number(1, x.re), c.Number(0, x.re));
  Value* v = FromParts(c, {c.Where(below, scaled.re, one), c.Where(below, scaled.im, 0)});
  return {v, tau, c.Where(is_done, alpha.re, beta)};
}

// (1 - tau·v·v*)·x
Value* Reflected(Composer& c, Value* v, Value* tau, Value* x) {
  Value* along = MatMul(c, Adjoint(c, v), x);
  return c.Sub(x, c.Mul(c.Mul(tau, v), along));
}

Values ReflectColumn(Composer& c, Value* step, const Places& places, Values& state) {
  const Parts x{state[0], state[1]};
  const int rank = c.Rank(x.re);
  const Reflection found = ReflectionOf(c, ColumnAt(c, x, step), step, places);
  Value* conjugate = FromParts(c, {found.tau.re, c.Neg(found.tau.im)});
  const Parts rest = PartsOf(c, Reflected(c, found.v, conjugate, FromParts(c, x)));
  Value* row = c.Unsqueeze(places.row, {1});
  Value* here = c.Equal(places.column, step);
  const Parts beta{found.beta, c.Mul(found.beta, 0)};
  const Parts column = Where(c, c.Equal(row, step), beta, PartsOf(c, found.v));
  Value* taken = c.And(here, c.GreaterOrEqual(row, step));
  const Parts after = Where(c, c.Greater(places.column, step), rest, Where(c, taken, column, x));
  state = {after.re, after.im};
  return {c.Squeeze(found.tau.re, {rank - 2, rank - 1}),
          c.Squeeze(found.tau.im, {rank - 2, rank - 1})};
}

// Takes the longest column of the state, the parts (…, n, 2n), as a vector of length 1 off the
// others, and keeps it, (…, n), with its number.
Values TakeLongest(Composer& c, Value* /*step*/, Values& state) {
  const int rank = c.Rank(state[0]);
  Value* squares = c.Add(c.Mul(state[0], state[0]), c.Mul(state[1], state[1]));
  Value* length = c.ReduceSum(squares, {rank - 2});
  Value* longest = c.Op("ArgMax", {length}, {{"axis", std::int64_t{rank - 2}}});
  Value* index = c.Expand(c.Unsqueeze(longest, {rank - 2}),
                          c.ConcatSizes({c.SizeVector(state[0], 0, rank - 1), c.Ints({1})}));
  const auto taken = [&](Value* x) {
    return c.Op("GatherElements", {x, index}, {{"axis", std::int64_t{rank - 1}}});
  };
  const Parts column{taken(state[0]), taken(state[1])};
  Value* all = c.Add(c.Mul(column.re, column.re), c.Mul(column.im, column.im));
  Value* norm = c.Sqrt(c.ReduceSum(all, {rank - 2}, true));
  const Parts unit{c.Div(column.re, norm), c.Div(column.im, norm)};
  Value* v = FromParts(c, unit);
  const Parts rest =
      PartsOf(c, Reflected(c, v, c.Number(1, state[0]), FromParts(c, {state[0], state[1]})));
  state = {rest.re, rest.im};
  return {c.Squeeze(unit.re, {rank - 1}), c.Squeeze(unit.im, {rank - 1}),
          c.Squeeze(longest, {rank - 2})};
}

Value* Least(Composer& c, Value* x) { return c.Min(Rows(c, x), Columns(c, x)); }

}  // namespace

Lu FactorComplexLu(Composer& c, Value* a) {
  const Parts parts = PartsOf(c, a);
  const int rank = c.Rank(parts.re);
  const Places places = PlacesOf(c, parts.re);
  Value* rows = c.Expand(places.row, c.SizeVector(parts.re, 0, rank - 1));
  const Values results = RunSteps(
      c, Least(c, parts.re), {parts.re, parts.im, rows}, [&](Composer& c, Value* step, Values& x) {
        Value* pivot = c.Squeeze(ExchangeRows(c, step, places, x), {rank - 2});
        Eliminate(c, step, places, x);
        return Values{pivot};
      });
  if (c.failed()) return {};
  return {FromParts(c, {results[0], results[1]}), StepsLast(c, results[3]), results[2]};
}

Qr FactorComplexQr(Composer& c, Value* a) {
  const Parts parts = PartsOf(c, a);
  const Places places = PlacesOf(c, parts.re);
  const Values results = RunSteps(
      c, Least(c, parts.re), {parts.re, parts.im},
      [&](Composer& c, Value* step, Values& x) { return ReflectColumn(c, step, places, x); });
  if (c.failed()) return {};
  return {FromParts(c, {results[0], results[1]}),
          FromParts(c, {StepsLast(c, results[2]), StepsLast(c, results[3])})};
}

// Each vector x + iy is there twice, as the blocks of itself and of its product with a number: as
// many as are independent are taken, in the order of their values.
Value* VectorsFromBlocks(Composer& c, Value* blocks) {
  const int rank = c.Rank(blocks);
  Value* re = c.Slice(blocks, rank - 2, 0, kEnd, 2);
  Value* im = c.Slice(blocks, rank - 2, 1, kEnd, 2);
  const Values results = RunSteps(c, c.Div(Columns(c, re), 2), {re, im}, TakeLongest);
  if (c.failed()) return nullptr;
  Value* numbers = StepsLast(c, results[4]);
  Value* count = c.Vector(c.Size(numbers, rank - 2));
  Value* order = c.Ops("TopK", {numbers, count}, {{"largest", std::int64_t{0}}}, 2)[1];
  const auto sorted = [&](Value* kept) {
    Value* columns = StepsLast(c, kept);
    Value* index = c.Expand(c.Unsqueeze(order, {rank - 2}), c.Shape(columns));
    return c.Op("GatherElements", {columns, index}, {{"axis", std::int64_t{rank - 1}}});
  };
  return FromParts(c, {sorted(results[2]), sorted(results[3])});
}

Value* ComplexHouseholderProduct(Composer& c, const Qr& qr) {
  const Parts parts = PartsOf(c, qr.factors);
  const Parts tau = PartsOf(c, qr.tau);
  const int rank = c.Rank(parts.re);
  const Places places = PlacesOf(c, parts.re);
  Value* count = c.Size(tau.re, rank - 2);
  Value* unit = c.Cast(OnDiagonal(c, Rows(c, parts.re), Columns(c, parts.re)), c.dtype(parts.re));
  unit = c.Expand(unit, c.Shape(parts.re));
  const Values results =
      RunSteps(c, count, {unit, c.Mul(unit, 0)}, [&](Composer& c, Value* step, Values& x) {
        Value* at = c.Sub(c.Sub(count, 1), step);  // the last one first
        Value* row = c.Unsqueeze(places.row, {1});
        const Parts column = PartsOf(c, ColumnAt(c, parts, at));
        Value* one = c.Where(c.Equal(row, at), c.Number(1, x[0]), c.Number(0, x[0]));
        Value* below = c.Greater(row, at);
        Value* v = FromParts(c, {c.Where(below, column.re, one), c.Where(below, column.im, 0)});
        const auto number = [&](Value* of) {
          return c.Unsqueeze(c.Gather(of, at, rank - 2), {rank - 2, rank - 1});
        };
        Value* scale = FromParts(c, {number(tau.re), number(tau.im)});
        const Parts after = PartsOf(c, Reflected(c, v, scale, FromParts(c, {x[0], x[1]})));
        x = {after.re, after.im};
        return Values();
      });
  return c.failed() ? nullptr : FromParts(c, {results[0], results[1]});
}

}  // namespace dragoman::torch

// SPDX-License-Identifier: Apache-2.0
// Running products and extremes, and differences of neighbours. Element i of a running reduction is
// reduced from a row in which what lies after i is neutral.
#include "importers/torch/ops/op_rows.h"

#include <cmath>
#include <string>
#include <utility>

#include "core/lowering/complex.h"
#include "core/lowering/sums.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"

namespace dragoman::torch {
namespace {

Value* Running(CallComposer& c, Value* x, std::string_view type, double neutral) {
  const int axis = c.AxisArgument("dim", x);
  const int rank = c.Rank(x);
  if (rank == 0) return x;
  Value* rows = c.SwapAxes(x, axis, rank - 1);
  Value* reduced = c.Reduce(type, RowsUpToPlaces(c, rows, neutral), {rank}, false);
  return c.SwapAxes(reduced, axis, rank - 1);
}

Value* RunningLogSumExp(CallComposer& c, Value* x) {
  const int axis = c.AxisArgument("dim", x);
  const int rank = c.Rank(x);
  if (rank == 0) return x;
  Value* rows = RowsUpToPlaces(c, c.SwapAxes(x, axis, rank - 1), -INFINITY);
  return c.SwapAxes(LogSumExpOfComplex(c, rows, {rank}, false), axis, rank - 1);
}

// Running extremes of int64, whose rows repeat their first element where nothing counts.
Result<Results> RunningExtremeOfIntegers(CallComposer& c, Value* x, std::string_view type) {
  const int axis = c.AxisArgument("dim", x);
  const int rank = c.Rank(x);
  if (rank == 0) return c.Done({x, c.Int(0)});
  Value* rows = c.SwapAxes(x, axis, rank - 1);
  Value* places = c.Iota(c.Size(rows, rank - 1));
  Value* reached = c.LessOrEqual(places, c.Unsqueeze(places, {1}));
  Value* wide = c.Unsqueeze(rows, {rank - 1});
  Value* first = c.Slice(wide, rank, 0, 1);
  Value* values = c.Reduce(type, c.Where(reached, wide, first), {rank}, false);
  Value* holds = c.And(reached, c.Equal(wide, c.Unsqueeze(values, {rank})));
  Value* last = c.Reduce("ReduceMax", c.Where(holds, places, -1), {rank}, false);
  return c.Done({c.SwapAxes(values, axis, rank - 1), c.SwapAxes(last, axis, rank - 1)});
}

// The values, and of equal ones the place of the last.
Result<Results> RunningExtreme(Call& call, std::string_view type, double neutral) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const DType given = c.dtype(x);
  if (!c.failed() && !IsFloating(given)) {
    // Float64 holds all integers of up to 32 bits.
    if (IsInteger(given) && Info(given).bits > 32) return RunningExtremeOfIntegers(c, x, type);
    x = c.Cast(x, DType::kF64);
  }
  const int axis = c.AxisArgument("dim", x);
  const int rank = c.Rank(x);
  if (rank == 0) return c.Done({c.Cast(x, given), c.Int(0)});
  Value* rows = c.SwapAxes(x, axis, rank - 1);
  Value* values = c.Reduce(type, RowsUpToPlaces(c, rows, neutral), {rank}, false);
  Value* places = c.Iota(c.Size(rows, rank - 1));
  Value* reached = c.LessOrEqual(places, c.Unsqueeze(places, {1}));
  Value* wide = c.Unsqueeze(rows, {rank - 1});
  Value* extreme = c.Unsqueeze(values, {rank});
  Value* equal = c.Or(c.Equal(wide, extreme), c.And(IsNaN(c, wide), IsNaN(c, extreme)));
  Value* holds = c.And(reached, equal);
  Value* last = c.Reduce("ReduceMax", c.Where(holds, places, -1), {rank}, false);
  return c.Done(
      {c.Cast(c.SwapAxes(values, axis, rank - 1), given), c.SwapAxes(last, axis, rank - 1)});
}

Value* LowerCumProd(CallComposer& c) {
  Value* x = c.Tensor("self");
  x = c.Cast(x, c.DTypeOr("dtype", SumResult(c.dtype(x))));
  return Running(c, x, "ReduceProd", 1);
}

Value* LowerLogCumSumExp(CallComposer& c) {
  Value* x = c.Floating("self");
  if (IsComplex(c.dtype(x))) return RunningLogSumExp(c, x);
  return Running(c, x, "ReduceLogSumExp", -INFINITY);
}

Result<Results> LowerCumMax(Call& call) { return RunningExtreme(call, "ReduceMax", -INFINITY); }
Result<Results> LowerCumMin(Call& call) { return RunningExtreme(call, "ReduceMin", INFINITY); }

// n-fold differences along an axis; of bool, where neighbours differ.
Value* LowerDiff(CallComposer& c) {
  Value* x = c.Tensor("self");
  const int axis = c.AxisArgument("dim", x);
  std::vector<Value*> parts = {x};
  if (Value* prepend = c.OptionalTensor("prepend")) parts.insert(parts.begin(), prepend);
  if (Value* append = c.OptionalTensor("append")) parts.push_back(append);
  x = c.Concat(std::move(parts), axis);
  constexpr std::int64_t kMaxFold = 64;
  const std::int64_t n = c.Int("n");
  if (n > kMaxFold) return c.Refuse("n = " + std::to_string(n));
  for (std::int64_t i = 0; i < n && !c.failed(); ++i) {
    Value* later = c.Slice(x, axis, 1, kEnd);
    Value* earlier = c.Slice(x, axis, 0, -1);
    x = c.dtype(x) == DType::kBool ? c.Op("Xor", {later, earlier}) : c.Sub(later, earlier);
  }
  return x;
}

Value* NeighbourSums(Composer& c, Value* y, int axis) {
  return c.Add(c.Slice(y, axis, 1, kEnd), c.Slice(y, axis, 0, -1));
}

// Twice the areas between neighbours of `y` that stand at `x`, in the type that torch computes:
// integers wrap.
Value* DoubleAreas(CallComposer& c, Value* y, int axis) {
  Value* x = c.Tensor("x");
  if (c.failed()) return nullptr;
  if (c.dtype(x) == DType::kBool) return c.Fail(InvalidInput("x is of bool"));
  if (c.Rank(x) == 1) x = AlongAxis(c, x, axis, c.Rank(y));
  const int along = c.Rank(x) - c.Rank(y) + axis;
  Value* widths = c.Sub(c.Slice(x, along, 1, kEnd), c.Slice(x, along, 0, -1));
  const DType type = PromoteTypes(c.dtype(y), c.dtype(x));
  return c.Mul(c.Cast(NeighbourSums(c, y, axis), type), c.Cast(widths, type));
}

Value* TakeHeights(CallComposer& c) {
  Value* y = c.Tensor("y");
  if (!c.failed() && c.dtype(y) == DType::kBool) c.Fail(InvalidInput("y is of bool"));
  return y;
}

Value* Halved(Composer& c, Value* x) { return c.Mul(c.Cast(x, FloatingResult(c.dtype(x))), 0.5); }

Value* SumAlong(Composer& c, Value* x, int axis) {
  return c.ReduceSum(c.Cast(x, SumResult(c.dtype(x))), {axis});
}

// The area under lines between points `dx` apart, or at `x`. For points that are equally far apart
// torch takes half of the first and the last from the sum of all.
Value* LowerTrapezoid(CallComposer& c) {
  Value* y = TakeHeights(c);
  const int axis = c.AxisArgument("dim", y);
  if (c.call().Declares("x")) return Halved(c, SumAlong(c, DoubleAreas(c, y, axis), axis));
  Value* ends = c.Add(c.Slice(y, axis, 0, 1), c.Slice(y, axis, -1, kEnd));
  const DType type = FloatingResult(c.dtype(y));
  ends = c.ReduceSum(c.Mul(c.Cast(ends, type), 0.5), {axis});
  return c.Mul(c.Sub(c.Cast(SumAlong(c, y, axis), type), ends), c.Float("dx"));
}

Value* LowerCumulativeTrapezoid(CallComposer& c) {
  Value* y = TakeHeights(c);
  const int axis = c.AxisArgument("dim", y);
  const DType type = FloatingResult(c.dtype(y));
  if (!c.Has("x")) {
    Value* pairs = c.Cast(NeighbourSums(c, y, axis), type);
    return c.Op("CumSum", {c.Mul(pairs, c.Float("dx") / 2), c.Int(axis)});
  }
  Value* areas = DoubleAreas(c, y, axis);
  areas = c.Op("CumSum", {c.Cast(areas, SumResult(c.dtype(areas))), c.Int(axis)});
  return Halved(c, areas);
}

}  // namespace

std::span<const OpRow> CumulativeRows() {
  static constexpr OpRow kRows[] = {
      {"aten._logcumsumexp", LowerLogCumSumExp, {.complex = true}},
      {"aten.cummax", LowerCumMax},
      {"aten.cummin", LowerCumMin},
      {"aten.cumprod", LowerCumProd, {.complex = true}},
      {"aten.cumulative_trapezoid", LowerCumulativeTrapezoid, {.complex = true}},
      {"aten.diff", LowerDiff, {.complex = true}},
      {"aten.logcumsumexp", LowerLogCumSumExp, {.complex = true}},
      {"aten.trapezoid", LowerTrapezoid, {.complex = true}},
      {"aten.trapz", LowerTrapezoid, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch

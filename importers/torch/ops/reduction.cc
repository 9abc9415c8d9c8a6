// SPDX-License-Identifier: Apache-2.0
// Sums, products, moments, and tests of all elements along axes.
#include "importers/torch/ops/op_rows.h"

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"
#include "importers/torch/ops/reduced_axes.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

struct Moments {
  Value* variance;  // of float32 where `self` is of halves: its root may be finite where it is not
  Value* mean;
  DType type;  // of the result
};

// argument `correction`, or 1 or 0 as `unbiased` says.
double Correction(CallComposer& c) {
  if (c.call().Declares("correction")) return c.FloatOr("correction", 1);
  return c.BoolOr("unbiased", true) ? 1 : 0;
}

Moments TakeMoments(CallComposer& c) {
  Value* given = c.Tensor("self");
  Value* x = c.Widen(given);
  const ReducedAxes axes = TakeAxes(c, x);
  Value* mean = c.ReduceMean(axes.of, axes.axes, true);
  Value* deviation = c.Sub(axes.of, mean);
  if (IsComplex(c.dtype(x))) deviation = c.Abs(deviation);
  Value* sum = c.ReduceSum(c.Mul(deviation, deviation), axes.axes, axes.keep);
  Value* count = c.Cast(CountReduced(c, axes), c.dtype(sum));
  Value* divisor = c.Max(c.Sub(count, Correction(c)), 0);
  Value* kept = axes.keep ? mean : c.Squeeze(mean, axes.axes);
  return {c.Div(sum, divisor), c.CastLike(kept, given), RealPart(c.dtype(given))};
}

Result<Value*> Test(Call& call, std::string_view type) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const bool as_u8 = c.dtype(x) == DType::kU8;
  const ReducedAxes axes = TakeAxes(c, IsTrue(c, x));
  Value* found = c.Reduce(type, axes.of, axes.axes, axes.keep);
  return c.Done(as_u8 ? c.Cast(found, DType::kU8) : found);
}

Result<Value*> Accumulate(Call& call, std::string_view type, bool skip_nan) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  if (skip_nan && IsFloating(c.dtype(x))) x = c.Where(IsNaN(c, x), 0, x);
  const DType result = c.DTypeOr("dtype", SumResult(c.dtype(x)));
  const bool as_bool = result == DType::kBool;  // a sum says if any is true, a product if all are
  if (as_bool) type = type == "ReduceSum" ? "ReduceMax" : "ReduceMin";
  const ReducedAxes axes = TakeAxes(c, as_bool ? IsTrue(c, x) : c.Cast(x, result));
  return c.Done(c.Reduce(type, axes.of, axes.axes, axes.keep));
}

}  // namespace

ReducedAxes TakeAxes(CallComposer& c, Value* x) {
  ReducedAxes axes;
  axes.of = x;
  axes.keep = c.BoolOr("keepdim", false);
  if (!c.Has("dim") && !axes.keep && !c.MaybeRank(x)) {
    axes.of = c.Flatten(x);
    axes.axes = {0};
  } else {
    axes.axes = c.call().Declares("dim") ? c.AxesArgument("dim", x) : AllAxes(c.Rank(x));
  }
  return axes;
}

Value* CountReduced(Composer& c, const ReducedAxes& axes) {
  Value* count = c.Int(1);
  std::int64_t known = 1;
  for (std::int64_t axis : axes.axes) {
    const int index = static_cast<int>(axis);
    if (std::optional<std::int64_t> size = c.KnownSize(axes.of, index)) {
      known *= *size;
    } else {
      count = c.Mul(count, c.Size(axes.of, index));
    }
  }
  return known == 1 ? count : c.Mul(count, c.Int(known));
}

namespace {

Result<Value*> LowerSum(Call& call) { return Accumulate(call, "ReduceSum", false); }
Result<Value*> LowerNanSum(Call& call) { return Accumulate(call, "ReduceSum", true); }
Result<Value*> LowerProd(Call& call) { return Accumulate(call, "ReduceProd", false); }

Value* LowerMean(CallComposer& c) {
  Value* x = c.Tensor("self");
  x = c.Cast(x, c.DTypeOr("dtype", c.dtype(x)));
  if (!c.failed() && !IsFloating(c.dtype(x)) && !IsComplex(c.dtype(x)))
    return c.Refuse("the mean of " + std::string(Name(c.dtype(x))));
  const ReducedAxes axes = TakeAxes(c, x);
  return c.ReduceMean(axes.of, axes.axes, axes.keep);
}

Value* LowerNanMean(CallComposer& c) {
  Value* x = c.Tensor("self");
  x = c.Cast(x, c.DTypeOr("dtype", c.dtype(x)));
  const ReducedAxes axes = TakeAxes(c, x);
  Value* missing = IsNaN(c, axes.of);
  Value* sum = c.ReduceSum(c.Where(missing, 0, axes.of), axes.axes, axes.keep);
  Value* present = c.CastLike(c.Not(missing), x);
  return c.Div(sum, c.ReduceSum(present, axes.axes, axes.keep));
}

Value* LowerVar(CallComposer& c) {
  const Moments moments = TakeMoments(c);
  return c.Cast(moments.variance, moments.type);
}

Value* LowerStd(CallComposer& c) {
  const Moments moments = TakeMoments(c);
  return c.Cast(c.Sqrt(moments.variance), moments.type);
}

Result<Results> LowerVarMean(Call& call) {
  CallComposer c(call);
  const Moments moments = TakeMoments(c);
  return c.Done({c.Cast(moments.variance, moments.type), moments.mean});
}

Result<Results> LowerStdMean(Call& call) {
  CallComposer c(call);
  const Moments moments = TakeMoments(c);
  return c.Done({c.Cast(c.Sqrt(moments.variance), moments.type), moments.mean});
}

Result<Value*> LowerAny(Call& call) { return Test(call, "ReduceMax"); }
Result<Value*> LowerAll(Call& call) { return Test(call, "ReduceMin"); }

Value* LowerCountNonzero(CallComposer& c) {
  const ReducedAxes axes = TakeAxes(c, c.Cast(IsTrue(c, c.Tensor("self")), DType::kI64));
  return c.ReduceSum(axes.of, axes.axes, axes.keep);
}

Value* LowerLogSumExp(CallComposer& c) {
  const ReducedAxes axes = TakeAxes(c, c.Floating("self"));
  if (IsComplex(c.dtype(axes.of))) return LogSumExpOfComplex(c, axes.of, axes.axes, axes.keep);
  return c.Reduce("ReduceLogSumExp", axes.of, axes.axes, axes.keep);
}

Value* LowerCumSum(CallComposer& c) {
  Value* x = c.Tensor("self");
  x = c.Cast(x, c.DTypeOr("dtype", SumResult(c.dtype(x))));
  const int axis = c.AxisArgument("dim", x);
  if (c.MaybeRank(x) == 0) return x;
  // Small integers wrap; sums in int64 have the same bits.
  const DType type = c.dtype(x);
  if (IsInteger(type)) x = c.Cast(x, DType::kI64);
  return c.Cast(c.Op("CumSum", {x, c.Int(axis)}), type);
}

Value* LowerTrace(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* rows = c.Unsqueeze(c.Iota(c.Size(x, 0)), {1});
  Value* on_diagonal = c.Equal(rows, c.Iota(c.Size(x, 1)));
  Value* diagonal = c.Where(on_diagonal, x, 0);
  return c.ReduceSum(c.Cast(diagonal, SumResult(c.dtype(x))), {0, 1});
}

// Sums over what broadcasting to self's sizes would repeat.
Result<Results> LowerSumToSize(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  const std::vector<std::int64_t> sizes = c.Take(call.IntList("size"));
  const int leading = rank - static_cast<int>(sizes.size());
  if (leading < 0) return call.Invalid("the sizes have a higher rank than the tensor");
  std::vector<std::int64_t> repeated;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const int axis = leading + static_cast<int>(i);
    if (sizes[i] == 1 && c.KnownSize(x, axis) != 1) repeated.push_back(axis);
  }
  if (leading == 0 && repeated.empty()) return LowerAlias(c);
  x = c.Cast(x, SumResult(c.dtype(x)));
  x = c.ReduceSum(x, std::move(repeated), true);
  return c.Done({c.ReduceSum(x, AllAxes(leading))});
}

}  // namespace

std::span<const OpRow> ReductionRows() {
  static constexpr OpRow kRows[] = {
      {"aten._is_all_true", LowerAll},
      {"aten._is_any_true", LowerAny},
      {"aten.all", LowerAll, {.complex = true}},
      {"aten.any", LowerAny, {.complex = true}},
      {"aten.count_nonzero", LowerCountNonzero, {.complex = true}},
      {"aten.cumsum", LowerCumSum, {.complex = true}},
      {"aten.logsumexp", LowerLogSumExp, {.complex = true}},
      {"aten.mean", LowerMean, {.complex = true, .grid = kIntegerGrid}},
      {"aten.nanmean", LowerNanMean},
      {"aten.nansum", LowerNanSum},
      {"aten.prod", LowerProd, {.complex = true}},
      {"aten.special_logsumexp", LowerLogSumExp, {.complex = true}},
      {"aten.std", LowerStd, {.complex = true}},
      {"aten.std_mean", LowerStdMean, {.complex = true}},
      {"aten.sum", LowerSum, {.complex = true}},
      {"aten.sum_to_size", LowerSumToSize, {.complex = true}},
      {"aten.trace", LowerTrace, {.complex = true}},
      {"aten.var", LowerVar, {.complex = true}},
      {"aten.var_mean", LowerVarMean, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch

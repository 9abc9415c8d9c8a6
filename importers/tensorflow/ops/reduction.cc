// SPDX-License-Identifier: Apache-2.0
// Sums, extremes and their places along axes.
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "core/lowering/complex.h"
#include "core/lowering/math.h"
#include "importers/tensorflow/ops/run_time_axes.h"

namespace dragoman::tf {
namespace {

Value* ReduceOver(Call& c, std::string_view type, Value* x) {
  const std::int64_t keep = c.BoolAttribute("keep_dims");
  const std::optional<Ints> stated = c.MaybeKnownInts(1);
  if (c.failed()) return nullptr;
  if (!stated) {
    return c.Op(type, {x, c.Flatten(c.Index(1))},
                {{"keepdims", keep}, {"noop_with_empty_axes", std::int64_t{1}}});
  }
  Ints axes;
  for (const std::int64_t axis : *stated) axes.push_back(c.AxisOf(axis, x));
  if (c.MaybeRank(x) == 0) return x;
  std::sort(axes.begin(), axes.end());
  return c.Reduce(type, x, std::move(axes), keep != 0);
}

Value* LowerReduce(Call& c) { return ReduceOver(c, c.target(), c.Tensor(0)); }

// Over no axes, that of each element: its magnitude. Of complex numbers: that of their magnitudes,
// as a complex number.
Value* LowerEuclideanNorm(Call& c) {
  Value* x = c.Tensor(0);
  const bool is_complex = IsComplex(c.dtype(x));
  const std::optional<Ints> axes = c.MaybeKnownInts(1);
  const bool reduces = axes && !axes->empty() && c.MaybeRank(x).value_or(0) > 0;
  if (is_complex) {
    x = Magnitude(c, PartsOf(c, x));
  } else if (!reduces) {
    x = c.Abs(x);
  }
  Value* norm = ReduceOver(c, "ReduceL2", x);
  return is_complex ? FromParts(c, {norm, c.Mul(norm, 0)}) : norm;
}

// The mean of integers is cut off, and that of none is 0; they are added up in 64 bits.
Value* LowerMean(Call& c) {
  Value* x = c.Tensor(0);
  const DType type = c.dtype(x);
  if (!IsInteger(type)) return ReduceOver(c, "ReduceMean", x);
  Value* wide = c.Cast(x, type == DType::kU64 ? type : DType::kI64);
  Value* sum = ReduceOver(c, "ReduceSum", wide);
  Value* count = ReduceOver(c, "ReduceSum", c.Full(c.Shape(x), 1, c.dtype(wide)));
  return c.Cast(c.Div(sum, c.Max(count, 1)), type);
}

Value* LowerArgReduce(Call& c) {
  Value* x = c.Tensor(0);
  std::int64_t axis = 0;
  if (Value* of_run = c.num_operands() > 1 ? RunTimeAxis(c, 1, x) : nullptr) {
    x = AxisToFront(c, x, of_run);
  } else if (c.num_operands() > 1) {
    axis = c.AxisOperand(1, x, "the dimension");
  }
  const DType result = c.TypeAttribute("output_type");
  if (c.dtype(x) == DType::kBool) x = c.Cast(x, DType::kU8);
  return c.Cast(c.Op(c.target(), {x}, {{"axis", axis}, {"keepdims", std::int64_t{0}}}), result);
}

Value* LowerL2Loss(Call& c) {
  Value* x = c.Tensor(0);
  return c.Div(c.ReduceAll("ReduceSum", c.Mul(x, x)), 2);
}

Value* LowerCumulativeSum(Call& c) {
  Value* x = c.Tensor(0);
  Value* axis = c.IndexNumber(1);
  if (c.KnownNumber(axis)) axis = c.Int(c.AxisOperand(1, x));
  const std::int64_t exclusive = c.BoolAttribute("exclusive");
  const std::int64_t reverse = c.BoolAttribute("reverse");
  // Sums of small integers wrap as those of larger ones do that are cut off.
  const DType type = c.dtype(x);
  const bool is_small = IsInteger(type) && Info(type).bits < 32;
  Value* sums = c.Op("CumSum", {is_small ? c.Cast(x, DType::kI32) : x, axis},
                     {{"exclusive", exclusive}, {"reverse", reverse}});
  return c.Cast(sums, type);
}

// `reduction` of those of n · n elements that count, which is for short axes; others are `neutral`.
Value* Cumulative(Call& c, std::string_view reduction, double neutral) {
  constexpr std::int64_t kMost = 4096;
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  Value* of_run = RunTimeAxis(c, 1, x);
  const int axis = of_run != nullptr ? 0 : c.AxisOperand(1, x);
  if (of_run != nullptr) x = AxisToFront(c, x, of_run);
  const bool exclusive = c.BoolAttribute("exclusive");
  const bool reverse = c.BoolAttribute("reverse");
  if (c.failed()) return nullptr;
  if (c.KnownSize(x, axis).value_or(0) > kMost)
    return c.Fail("an axis of more than " + std::to_string(kMost) + " elements");
  Value* line = c.Iota(c.Size(x, axis));
  Value* result = c.Unsqueeze(line, {1});
  Value* element = c.Unsqueeze(line, {0});
  Value* counts = reverse ? c.GreaterOrEqual(element, result) : c.LessOrEqual(element, result);
  if (exclusive) counts = c.And(counts, c.NotEqual(element, result));
  // (…, result, element)
  Value* last = c.SwapAxes(x, axis, rank - 1);
  Value* elements = c.Where(counts, c.Unsqueeze(last, {rank - 1}), neutral);
  Value* result_rows = c.SwapAxes(c.Reduce(reduction, elements, {rank}, false), axis, rank - 1);
  return of_run != nullptr ? FrontToAxis(c, result_rows, of_run) : result_rows;
}

Value* LowerCumulativeProduct(Call& c) { return Cumulative(c, "ReduceProd", 1); }

// What does not count is the least number, beside which all others lose nothing; where there is
// nothing but minus infinity, so is the sum.
Value* LowerCumulativeLogSumExp(Call& c) {
  const double least = c.failed() || c.dtype(c.Tensor(0)) != DType::kF64
                           ? std::numeric_limits<float>::lowest()
                           : std::numeric_limits<double>::lowest();
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  Value* largest = Cumulative(c, "ReduceMax", kNone);
  return c.Where(c.Equal(largest, kNone), kNone, Cumulative(c, "ReduceLogSumExp", least));
}

}  // namespace

std::span<const OpRow> ReductionRows() {
  static constexpr OpRow kRows[] = {
      {"All", LowerReduce, "ReduceMin"},
      {"Any", LowerReduce, "ReduceMax"},
      {"ArgMax", LowerArgReduce, "ArgMax"},
      {"ArgMin", LowerArgReduce, "ArgMin"},
      {"Cumprod", LowerCumulativeProduct},
      {"Cumsum", LowerCumulativeSum},
      {"CumulativeLogsumexp", LowerCumulativeLogSumExp},
      {"EuclideanNorm", LowerEuclideanNorm},
      {"L2Loss", LowerL2Loss},
      {"Max", LowerReduce, "ReduceMax"},
      {"Mean", LowerMean},
      {"Min", LowerReduce, "ReduceMin"},
      {"Prod", LowerReduce, "ReduceProd"},
      {"Sum", LowerReduce, "ReduceSum"},
  };
  return kRows;
}

}  // namespace dragoman::tf

// SPDX-License-Identifier: Apache-2.0
// Reductions and scans.
#include "importers/relay/ops/op_rows.h"

#include <algorithm>
#include <utility>

#include "core/lowering/math.h"
#include "core/lowering/sums.h"

namespace dragoman::relay {
namespace {

Value* LowerReduce(Call& c) {
  Value* x = c.Tensor(0);
  const bool keep = c.Bool("keepdims", false);
  Ints axes = c.ReducedAxes(x);
  if (c.failed()) return nullptr;
  if (c.target() == "ReduceMean" && IsInteger(c.dtype(x))) return MeanOfIntegers(c, x, axes, keep);
  return c.Reduce(c.target(), x, std::move(axes), keep);
}

Value* LowerReduceTruths(Call& c) {
  Value* x = c.Tensor(0);
  const bool keep = c.Bool("keepdims", false);
  Ints axes = c.ReducedAxes(x);
  if (c.failed()) return nullptr;
  return c.Reduce(c.target(), c.Cast(x, DType::kBool), std::move(axes), keep);
}

// The mean, with its axes kept, is an operand.
Value* LowerVariance(Call& c) {
  Value* x = c.Tensor(0);
  Value* mean = c.Tensor(1);
  const bool keep = c.Bool("keepdims", false);
  const bool unbiased = c.Bool("unbiased", false);
  const Ints axes = c.ReducedAxes(x);
  if (c.failed()) return nullptr;
  Value* difference = c.Sub(x, mean);
  Value* square = c.Mul(difference, difference);
  if (!unbiased) return c.ReduceMean(square, axes, keep);
  Value* count = c.Int(1);
  for (std::int64_t axis : axes) count = c.Mul(count, c.Size(x, static_cast<int>(axis)));
  return c.Div(c.ReduceSum(square, axes, keep), c.CastLike(c.Sub(count, 1), x));
}

Value* LowerArgReduce(Call& c) {
  Value* x = c.Tensor(0);
  const bool keep = c.Bool("keepdims", false);
  const bool last = c.Bool("select_last_index", false);
  const Ints axes = c.ReducedAxes(x);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  // Several axes count as one, that of the first one's place.
  Value* joined = x;
  int along = axes.empty() ? 0 : static_cast<int>(axes.front());
  if (axes.size() != 1) {
    Ints order;
    std::vector<Value*> sizes;
    for (int i = 0; i < rank; ++i) {
      if (std::ranges::find(axes, i) != axes.end()) continue;
      order.push_back(i);
      sizes.push_back(c.SizeVector(x, i, 1));
    }
    along = static_cast<int>(order.size());
    order.insert(order.end(), axes.begin(), axes.end());
    sizes.push_back(c.Ints({-1}));
    joined = c.Reshape(rank > 1 ? c.Transpose(x, order) : x, c.ConcatSizes(std::move(sizes)));
  }
  Value* index = c.Op(c.target(), {joined},
                      {{"axis", std::int64_t{along}},
                       {"keepdims", std::int64_t{keep && axes.size() == 1}},
                       {"select_last_index", std::int64_t{last}}});
  index = c.Cast(index, DType::kI32);
  return keep && axes.size() > 1 ? c.Unsqueeze(index, axes) : index;
}

Value* LowerCumulative(Call& c, bool product) {
  Value* x = c.Tensor(0);
  const DType dtype = c.Type("dtype", c.dtype(x));
  const std::optional<std::int64_t> axis = c.MaybeInt("axis");
  const Attribute* given = c.Get("exclusive");
  const bool exclusive =
      given != nullptr && given->kind() != Attribute::Kind::kNone && c.Bool("exclusive", false);
  if (c.failed()) return nullptr;
  x = c.Cast(x, dtype == DType::kBool ? DType::kI32 : dtype);
  if (!axis) x = c.Flatten(x);
  const int along = axis ? c.Axis(*axis, c.Rank(x)) : 0;
  if (product) return RunningProducts(c, x, along, exclusive);
  return c.Op("CumSum", {x, c.Int(along)}, {{"exclusive", std::int64_t{exclusive}}});
}

}  // namespace

std::span<const OpRow> ReductionRows() {
  static constexpr OpRow kRows[] = {
      {"all", LowerReduceTruths, "ReduceMin"},  {"any", LowerReduceTruths, "ReduceMax"},
      {"argmax", LowerArgReduce, "ArgMax"},     {"argmin", LowerArgReduce, "ArgMin"},
      {"cumprod", With<LowerCumulative, true>}, {"cumsum", With<LowerCumulative, false>},
      {"max", LowerReduce, "ReduceMax"},        {"mean", LowerReduce, "ReduceMean"},
      {"min", LowerReduce, "ReduceMin"},        {"prod", LowerReduce, "ReduceProd"},
      {"sum", LowerReduce, "ReduceSum"},        {"variance", LowerVariance},
  };
  return kRows;
}

}  // namespace dragoman::relay

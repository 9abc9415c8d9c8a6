// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/sums.h"

#include <optional>
#include <utility>

namespace dragoman {

Value* RowsUpToPlaces(Composer& c, Value* x, double neutral, bool exclusive, bool reverse) {
  const int last = c.Rank(x) - 1;
  if (c.failed()) return nullptr;
  Value* places = c.Iota(c.Size(x, last));
  Value* own = c.Unsqueeze(places, {1});
  if (reverse) std::swap(places, own);
  Value* counts = exclusive ? c.Less(places, own) : c.LessOrEqual(places, own);
  return c.Where(counts, c.Unsqueeze(x, {last}), neutral);
}

Value* RunningProducts(Composer& c, Value* x, int axis, bool exclusive, bool reverse) {
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  Value* rows = RowsUpToPlaces(c, c.SwapAxes(x, axis, rank - 1), 1, exclusive, reverse);
  return c.SwapAxes(c.Reduce("ReduceProd", rows, {rank}, false), axis, rank - 1);
}

Value* SumTo(Composer& c, Value* x, std::vector<std::int64_t> shape) {
  const std::optional<std::vector<std::int64_t>> sizes = c.KnownSizes(x);
  if (c.failed()) return nullptr;
  if (!sizes) return c.Fail("sizes that are not known");
  if (shape.size() > sizes->size()) return c.Fail(InvalidInput("a shape of more axes"));
  const std::size_t lead = sizes->size() - shape.size();
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    if (i < lead || (shape[i - lead] == 1 && (*sizes)[i] != 1))
      axes.push_back(static_cast<std::int64_t>(i));
  }
  return c.Reshape(c.ReduceSum(x, std::move(axes), true), std::move(shape));
}

Value* MeanOfIntegers(Composer& c, Value* x, const std::vector<std::int64_t>& axes, bool keep) {
  Value* count = c.Int(1);
  for (const std::int64_t axis : axes) count = c.Mul(count, c.Size(x, static_cast<int>(axis)));
  return c.Div(c.ReduceSum(x, axes, keep), c.CastLike(count, x));
}

}  // namespace dragoman

#include "core/lowering/sums.h"

#include <optional>
#include <utility>

namespace dragoman {

// Each element is the product of a row in which what does not count is 1.
Value* RunningProducts(Composer& c, Value* x, int axis, bool exclusive, bool reverse) {
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  Value* rows = c.SwapAxes(x, axis, rank - 1);
  Value* places = c.Iota(c.Size(rows, rank - 1));
  Value* own = c.Unsqueeze(places, {1});
  if (reverse) std::swap(places, own);
  Value* counts = exclusive ? c.Less(places, own) : c.LessOrEqual(places, own);
  Value* wide = c.Where(counts, c.Unsqueeze(rows, {rank - 1}), 1);
  return c.SwapAxes(c.Reduce("ReduceProd", wide, {rank}, false), axis, rank - 1);
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

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/sparse_form.h"

#include <optional>
#include <utility>
#include <vector>

namespace dragoman::tf {

SparseTensor TakeSparse(Call& c, std::size_t first) {
  return {c.Index(first), c.Tensor(first + 1), c.Index(first + 2)};
}

std::int64_t NumAxes(Call& c, const Value* sizes) {
  constexpr std::int64_t kMost = 32;
  const std::optional<std::int64_t> count =
      c.failed() ? std::optional<std::int64_t>() : c.KnownSize(sizes, 0);
  if (count && *count >= 1 && *count <= kMost) return *count;
  c.Fail(count ? "a sparse tensor without axes, or of more than 32"
               : "a number of axes known only at run time");
  return 1;
}

namespace {

// How far apart the elements of each axis lie in the flat tensor, where the number of axes is known
// only at run time: the products of the sizes after.
Value* StridesAtRunTime(Call& c, Value* sizes) {
  Value* axis = c.Iota(c.Size(sizes, 0));
  Value* behind = c.Greater(c.Unsqueeze(axis, {0}), c.Unsqueeze(axis, {1}));
  return c.Reduce("ReduceProd", c.Where(behind, c.Unsqueeze(sizes, {0}), 1), {1}, false);
}

bool IsNumAxesKnown(Call& c, const Value* sizes) {
  return c.failed() || c.KnownSize(sizes, 0).has_value();
}

}  // namespace

Value* FlatNumbers(Call& c, Value* indices, Value* sizes) {
  if (!IsNumAxesKnown(c, sizes))
    return c.ReduceSum(c.Mul(indices, c.Unsqueeze(StridesAtRunTime(c, sizes), {0})), {1});
  const std::int64_t axes = NumAxes(c, sizes);
  Value* numbers = nullptr;
  for (std::int64_t i = 0; i < axes; ++i) {
    Value* at = c.Select(indices, 1, i);
    numbers = numbers == nullptr ? at : c.Add(c.Mul(numbers, c.Select(sizes, 0, i)), at);
  }
  return numbers;
}

Value* IndicesOf(Call& c, Value* numbers, Value* sizes) {
  if (!IsNumAxesKnown(c, sizes)) {
    Value* full = c.Max(sizes, 1);
    Value* strides = c.Unsqueeze(StridesAtRunTime(c, full), {0});
    return c.Op("Mod", {c.Div(c.Unsqueeze(numbers, {1}), strides), c.Unsqueeze(full, {0})});
  }
  const std::int64_t axes = NumAxes(c, sizes);
  std::vector<Value*> columns(static_cast<std::size_t>(axes));
  for (std::int64_t i = axes; i-- > 0;) {
    Value* size = c.Max(c.Select(sizes, 0, i), 1);
    columns[static_cast<std::size_t>(i)] = c.Unsqueeze(c.Op("Mod", {numbers, size}), {1});
    numbers = c.Div(numbers, size);
  }
  return c.Concat(std::move(columns), 1);
}

Value* SmallestFirst(Call& c, Value* numbers) {
  return c.Ops(
      "TopK", {numbers, c.SizeVector(numbers, 0, 1)},
      {{"axis", std::int64_t{0}}, {"largest", std::int64_t{0}}, {"sorted", std::int64_t{1}}}, 2)[1];
}

SparseTensor Filtered(Call& c, const SparseTensor& x, Value* kept) {
  const auto left = [&](Value* value) {
    return c.Op("Compress", {value, kept}, {{"axis", std::int64_t{0}}});
  };
  return {left(x.indices), left(x.values), x.sizes};
}

SparseTensor InOrder(Call& c, const SparseTensor& x) {
  Value* order = SmallestFirst(c, FlatNumbers(c, x.indices, x.sizes));
  return {c.Gather(x.indices, order, 0), c.Gather(x.values, order, 0), x.sizes};
}

}  // namespace dragoman::tf

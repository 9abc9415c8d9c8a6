// SPDX-License-Identifier: Apache-2.0
#include "importers/tvm/adaptive_pool.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace dragoman::tvm {
namespace {

constexpr std::int64_t kMostWindows = 4096;

Value* PoolAxis(Composer& c, Value* x, int axis, std::int64_t windows, std::string_view reduction) {
  if (windows == 1) return c.Reduce(reduction, x, {axis}, true);
  const std::optional<std::int64_t> size = c.KnownSize(x, axis);
  if (!size) return c.Fail("an adaptive pool over a size that is not known");
  if (*size == windows) return x;
  if (windows < 1 || windows > kMostWindows)
    return c.Fail("an output_size of " + std::to_string(windows));
  std::vector<Value*> parts;
  for (std::int64_t i = 0; i < windows; ++i) {
    const std::int64_t begin = i * *size / windows;
    const std::int64_t end = ((i + 1) * *size + windows - 1) / windows;
    parts.push_back(c.Reduce(reduction, c.Slice(x, axis, begin, end), {axis}, true));
  }
  return c.Concat(std::move(parts), axis);
}

// The size of the windows, if all are equal and none has elements of another one.
std::optional<std::vector<std::int64_t>> EqualWindows(Composer& c, const Value* x,
                                                      const std::vector<std::int64_t>& windows) {
  std::vector<std::int64_t> kernel;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::optional<std::int64_t> size = c.KnownSize(x, static_cast<int>(i) + 2);
    if (!size || windows[i] < 1 || *size == 0 || *size % windows[i] != 0) return std::nullopt;
    kernel.push_back(*size / windows[i]);
  }
  return kernel;
}

}  // namespace

Value* AdaptivePool(Composer& c, Value* x, const std::vector<std::int64_t>& windows, bool mean) {
  if (c.failed() || windows.empty()) return x;
  if (std::ranges::all_of(windows, [](std::int64_t count) { return count == 1; }))
    return c.Op(mean ? "GlobalAveragePool" : "GlobalMaxPool", {x});
  if (IsFloating(c.dtype(x))) {
    if (const auto kernel = EqualWindows(c, x, windows))
      return c.Op(mean ? "AveragePool" : "MaxPool", {x},
                  {{"kernel_shape", *kernel}, {"strides", *kernel}});
  }
  for (std::size_t i = 0; i < windows.size(); ++i)
    x = PoolAxis(c, x, static_cast<int>(i) + 2, windows[i], mean ? "ReduceMean" : "ReduceMax");
  return x;
}

}  // namespace dragoman::tvm

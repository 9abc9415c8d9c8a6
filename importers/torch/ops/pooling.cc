// SPDX-License-Identifier: Apache-2.0
// Pooling with windows: maximum with and without indices, average, and the inverse of the maximum.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <utility>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/pooling.h"

namespace dragoman::torch {
namespace {

struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> pads;  // of the beginnings
  std::vector<std::int64_t> dilations;
  bool ceil_mode = false;
};

Window TakeWindow(CallComposer& c, int spatial) {
  Window window;
  window.kernel = c.IntPerAxis("kernel_size", spatial);
  const std::vector<std::int64_t> strides = c.Take(c.call().IntList("stride"));
  window.strides = strides.empty() ? window.kernel : c.IntPerAxis("stride", spatial);
  window.pads = c.IntPerAxis("padding", spatial);
  window.dilations.assign(window.kernel.size(), 1);
  if (c.call().Declares("dilation")) window.dilations = c.IntPerAxis("dilation", spatial);
  window.ceil_mode = c.Bool("ceil_mode");
  return window;
}

std::vector<NamedAttribute> Attributes(const Window& window) {
  std::vector<std::int64_t> pads = window.pads;
  pads.insert(pads.end(), window.pads.begin(), window.pads.end());
  return {{"ceil_mode", std::int64_t{window.ceil_mode}},
          {"dilations", window.dilations},
          {"kernel_shape", window.kernel},
          {"pads", std::move(pads)},
          {"strides", window.strides}};
}

// The element type that the common operators take: other integers are exact in it up to 2^53.
Value* Poolable(Composer& c, Value* x) {
  return IsFloating(c.dtype(x)) ? x : c.Cast(x, DType::kF64);
}

struct Pooled {
  Value* values;
  Value* indices;
};

// Indices count within the spatial axes of one channel.
Pooled MaxPool(CallComposer& c, bool with_indices) {
  const int spatial = SpatialAxes(c.call().op());
  Value* x = c.Tensor("self");
  const Window window = TakeWindow(c, spatial);
  const Batched batched = Batch(c, Poolable(c, x), spatial);
  const std::vector<Value*> results =
      c.Ops("MaxPool", {batched.x}, Attributes(window), with_indices ? 2 : 1);
  Value* values = c.CastLike(Unbatch(c, results[0], batched), x);
  if (!with_indices) return {values, nullptr};
  Value* plane = c.Int(1);
  for (int i = 0; i < spatial; ++i) plane = c.Mul(plane, c.Size(batched.x, i + 2));
  return {values, Unbatch(c, c.Op("Mod", {results[1], plane}), batched)};
}

// Averages over windows that are whole: with ceil_mode the last ones reach beyond the padding,
// where zeros take part. `like` has the sizes of the result.
Value* WholeWindows(Composer& c, Value* x, Window window, int spatial, Value* like) {
  std::vector<std::int64_t> pads(2 * static_cast<std::size_t>(spatial) + 4);
  for (std::size_t i = 0; i < window.pads.size(); ++i) {
    pads[i + 2] = window.pads[i];
    // No window begins later; runtimes take no pads of a whole one.
    pads[i + 4 + window.pads.size()] =
        std::min(window.pads[i] + window.strides[i], window.kernel[i]) - 1;
    window.pads[i] = 0;
  }
  window.ceil_mode = false;
  Value* y =
      c.Op("AveragePool", {c.Op("Pad", {x, c.Ints(pads), c.Number(0, x)})}, Attributes(window));
  // A window that begins in the padding at the end is left out.
  for (int i = 0; i < spatial; ++i)
    y = c.Slice(y, i + 2, c.Ints({0}), c.SizeVector(like, i + 2, 1), c.Ints({1}));
  return y;
}

// Values at their indices within one channel's spatial axes, zeros elsewhere.
Value* Unpool(CallComposer& c, Value* x, int spatial) {
  const Batched batched = Batch(c, x, spatial);
  const Batched indices = Batch(c, c.Tensor("indices"), spatial);
  const std::vector<std::int64_t> sizes =
      c.Take(c.call().IntList("output_size", static_cast<std::size_t>(spatial)));
  std::int64_t plane = 1;
  for (std::int64_t size : sizes) plane *= size;
  Value* channels = c.SizeVector(batched.x, 0, 2);
  Value* rows = c.ConcatSizes({channels, MergedSize(c, batched.x, 2, spatial)});
  Value* zeros = c.Full(c.ConcatSizes({channels, c.Ints({plane})}), 0, c.dtype(x));
  Value* flat =
      c.Op("ScatterElements", {zeros, c.Reshape(indices.x, rows), c.Reshape(batched.x, rows)},
           {{"axis", std::int64_t{2}}});
  Value* y = c.Reshape(flat, c.ConcatSizes({channels, c.Ints(sizes)}));
  return Unbatch(c, y, batched);
}

}  // namespace

int SpatialAxes(const OpName& op) {
  const std::string_view name = op.type;
  const std::size_t mark = name.find_first_of("123");
  return mark == std::string_view::npos ? 0 : name[mark] - '0';
}

Batched Batch(Composer& c, Value* x, int spatial) {
  if (c.MaybeRank(x) != spatial + 1) return {x, true};
  return {c.Unsqueeze(x, {0}), false};
}

Value* Unbatch(Composer& c, Value* y, const Batched& batched) {
  return batched.had_batch ? y : c.Squeeze(y, {0});
}

namespace {

Value* LowerMaxPool(CallComposer& c) { return MaxPool(c, false).values; }

Result<Results> LowerMaxPoolWithIndices(Call& call) {
  CallComposer c(call);
  const Pooled pooled = MaxPool(c, true);
  return c.Done({pooled.values, pooled.indices});
}

Value* LowerAvgPool(CallComposer& c) {
  const int spatial = SpatialAxes(c.call().op());
  Value* x = c.Tensor("self");
  const Window window = TakeWindow(c, spatial);
  const Batched batched = Batch(c, Poolable(c, x), spatial);
  std::vector<NamedAttribute> attributes = Attributes(window);
  const bool overridden = c.Has("divisor_override");
  const bool count_pads = overridden || c.Bool("count_include_pad");
  attributes.push_back({"count_include_pad", std::int64_t{count_pads}});
  Value* y = c.Op("AveragePool", {batched.x}, std::move(attributes));
  if (overridden && window.ceil_mode) y = WholeWindows(c, batched.x, window, spatial, y);
  if (overridden) {
    double count = 1;
    for (std::int64_t size : window.kernel) count *= static_cast<double>(size);
    y = c.Mul(y, count / static_cast<double>(c.Int("divisor_override")));
  }
  return c.CastLike(Unbatch(c, y, batched), x);
}

// max_unpool2d, max_unpool3d
Value* LowerMaxUnpool(CallComposer& c) {
  return Unpool(c, c.Tensor("self"), c.call().op().type == "max_unpool3d" ? 3 : 2);
}

}  // namespace

std::span<const OpRow> PoolingRows() {
  static constexpr OpRow kRows[] = {
      {"aten.avg_pool1d", LowerAvgPool, {.grid = kIntegerGrid}},
      {"aten.avg_pool2d", LowerAvgPool, {.grid = kIntegerGrid}},
      {"aten.avg_pool3d", LowerAvgPool, {.grid = kIntegerGrid}},
      {"aten.max_pool1d", LowerMaxPool},
      {"aten.max_pool1d_with_indices", LowerMaxPoolWithIndices},
      {"aten.max_pool2d", LowerMaxPool},
      {"aten.max_pool2d_with_indices", LowerMaxPoolWithIndices},
      {"aten.max_pool3d", LowerMaxPool},
      {"aten.max_pool3d_with_indices", LowerMaxPoolWithIndices},
      {"aten.max_unpool2d", LowerMaxUnpool},
      {"aten.max_unpool3d", LowerMaxUnpool},
  };
  return kRows;
}

}  // namespace dragoman::torch

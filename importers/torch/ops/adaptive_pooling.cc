// SPDX-License-Identifier: Apache-2.0
// Pooling to given sizes. Window i of n along an axis of size s reaches from floor(i s / n) to
// ceil((i + 1) s / n); where n divides s these are ordinary windows.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/pooling.h"

namespace dragoman::torch {
namespace {

struct Sizes {
  std::vector<std::int64_t> in;  // empty if a size, of input or output, is not known
  std::vector<std::int64_t> out;
  std::vector<Number> wanted;  // as `out`, known or not
};

std::int64_t Begin(std::int64_t i, std::int64_t in, std::int64_t out) { return i * in / out; }
std::int64_t End(std::int64_t i, std::int64_t in, std::int64_t out) {
  return ((i + 1) * in + out - 1) / out;
}

Sizes TakeSizes(CallComposer& c, Value* x, int spatial) {
  Sizes sizes;
  sizes.wanted = c.Take(c.call().Scalars("output_size"));
  const auto count = static_cast<std::size_t>(spatial);
  if (sizes.wanted.size() == 1) sizes.wanted.resize(count, sizes.wanted.front());
  if (sizes.wanted.size() != count && !c.failed())
    c.Fail(InvalidInput("output_size has " + std::to_string(sizes.wanted.size()) + " sizes"));
  for (const Number& size : sizes.wanted) {
    if (size.known()) sizes.out.push_back(size.AsInt());
  }
  for (int i = 0; i < spatial && sizes.out.size() == count; ++i) {
    if (std::optional<std::int64_t> size = c.KnownSize(x, i + 2)) sizes.in.push_back(*size);
  }
  if (sizes.in.size() != sizes.out.size()) sizes.in.clear();
  return sizes;
}

bool IsOne(const Sizes& sizes) {
  return sizes.out.size() == sizes.wanted.size() &&
         std::all_of(sizes.out.begin(), sizes.out.end(), [](std::int64_t n) { return n == 1; });
}

bool Divides(const Sizes& sizes) {
  for (std::size_t i = 0; i < sizes.out.size(); ++i) {
    if (sizes.out[i] <= 0 || sizes.in[i] % sizes.out[i] != 0) return false;
  }
  return !std::count(sizes.in.begin(), sizes.in.end(), 0);
}

std::vector<NamedAttribute> WindowAttributes(const Sizes& sizes) {
  std::vector<std::int64_t> kernel;
  for (std::size_t i = 0; i < sizes.out.size(); ++i) kernel.push_back(sizes.in[i] / sizes.out[i]);
  std::vector<std::int64_t> strides = kernel;
  return {{"kernel_shape", std::move(kernel)}, {"strides", std::move(strides)}};
}

// Row i weighs what window i averages: in x out, to be multiplied from the right.
Value* AverageMatrix(Composer& c, std::int64_t in, std::int64_t out, DType dtype) {
  std::vector<double> weights(static_cast<std::size_t>(in * out), 0.0);
  for (std::int64_t i = 0; i < out; ++i) {
    const std::int64_t begin = Begin(i, in, out);
    const std::int64_t end = End(i, in, out);
    for (std::int64_t j = begin; j < end; ++j)
      weights[static_cast<std::size_t>(j * out + i)] = 1.0 / static_cast<double>(end - begin);
  }
  return c.Cast(c.builder().Constant(Tensor::Of<double>({in, out}, weights)), dtype);
}

// One axis of sizes known only at run time: what of it each window holds.
struct AdaptiveWindows {
  Value* inside;   // bool, out x in: whether a window reads a position
  Value* lengths;  // int64, out x 1
};

AdaptiveWindows WindowsOf(CallComposer& c, Value* in, const Number& size) {
  Value* out = c.Take(c.call().NumberValue(size, DType::kI64));
  Value* i = c.Unsqueeze(c.Iota(out), {1});
  Value* begin = c.Div(c.Mul(i, in), out);
  Value* end = c.Div(c.Add(c.Mul(c.Add(i, 1), in), c.Sub(out, 1)), out);
  Value* position = c.Iota(in);
  Value* inside = c.And(c.GreaterOrEqual(position, begin), c.Less(position, end));
  return {inside, c.Sub(end, begin)};
}

Value* AverageComputed(CallComposer& c, Value* given, const Sizes& sizes) {
  Value* x = c.Widen(given);
  const int last = static_cast<int>(sizes.wanted.size()) + 1;
  for (std::size_t i = 0; i < sizes.wanted.size(); ++i) {
    const int axis = static_cast<int>(i) + 2;
    const AdaptiveWindows windows = WindowsOf(c, c.Size(x, axis), sizes.wanted[i]);
    Value* matrix = c.Div(c.CastLike(windows.inside, x), c.CastLike(windows.lengths, x));
    x = c.SwapAxes(c.Op("MatMul", {c.SwapAxes(x, axis, last), c.SwapAxes(matrix, 0, 1)}), axis,
                   last);
  }
  return c.CastLike(x, given);
}

struct Largest {
  Value* values;
  Value* places;  // within the spatial axes
};

// One axis after another, the last one first, so that of equal elements the first is found.
Largest LargestComputed(CallComposer& c, Value* x, const Sizes& sizes) {
  const int spatial = static_cast<int>(sizes.wanted.size());
  Value* plane = c.SizeVector(x, 2, spatial);
  Value* count = c.Op("ReduceProd", {plane}, {{"keepdims", std::int64_t{0}}});
  Largest largest{x, c.Expand(c.Reshape(c.Iota(count), plane), c.Shape(x))};
  for (int i = spatial; i-- > 0;) {
    const int axis = i + 2;
    const auto at = static_cast<std::size_t>(i);
    Value* inside = WindowsOf(c, c.Size(x, axis), sizes.wanted[at]).inside;
    for (int k = i + 1; k < spatial; ++k) inside = c.Unsqueeze(inside, {k - i + 1});
    Value* values = c.Where(inside, c.Unsqueeze(largest.values, {axis}), -INFINITY);
    Value* places = c.Expand(c.Unsqueeze(largest.places, {axis}), c.Shape(values));
    const std::int64_t along = axis + 1;
    Value* chosen = c.Op("ArgMax", {values}, {{"axis", along}, {"keepdims", std::int64_t{1}}});
    const auto choose = [&](Value* from) {
      return c.Squeeze(c.Op("GatherElements", {from, chosen}, {{"axis", along}}), {along});
    };
    largest = {choose(values), choose(places)};
  }
  return largest;
}

// The positions that the windows of one axis read, out rows of equal length: short windows repeat
// their last one.
Value* WindowPositions(Composer& c, std::int64_t in, std::int64_t out) {
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < out; ++i)
    longest = std::max(longest, End(i, in, out) - Begin(i, in, out));
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < out; ++i) {
    for (std::int64_t j = 0; j < longest; ++j)
      positions.push_back(std::min(Begin(i, in, out) + j, End(i, in, out) - 1));
  }
  return c.Reshape(c.Ints(std::move(positions)), {out, longest});
}

// Windows side by side: spatial axes from `first` on become (out…, window).
Value* GatherWindows(Composer& c, Value* x, const Sizes& sizes, int first) {
  const int spatial = static_cast<int>(sizes.out.size());
  std::vector<std::int64_t> permutation = AllAxes(first);
  for (int i = 0; i < spatial; ++i) {
    const auto at = static_cast<std::size_t>(i);
    x = c.Gather(x, WindowPositions(c, sizes.in[at], sizes.out[at]), first + 2 * i);
    permutation.push_back(first + 2 * i);
  }
  for (int i = 0; i < spatial; ++i) permutation.push_back(first + 2 * i + 1);
  x = c.Transpose(x, std::move(permutation));
  return c.Reshape(x, c.ConcatSizes({c.SizeVector(x, 0, first + spatial),
                                     MergedSize(c, x, first + spatial, spatial)}));
}

Value* AverageGeneral(Composer& c, Value* given, const Sizes& sizes) {
  Value* x = c.Widen(given);
  const int last = static_cast<int>(sizes.out.size()) + 1;
  for (std::size_t i = 0; i < sizes.out.size(); ++i) {
    const int axis = static_cast<int>(i) + 2;
    Value* matrix = AverageMatrix(c, sizes.in[i], sizes.out[i], c.dtype(x));
    x = c.SwapAxes(c.Op("MatMul", {c.SwapAxes(x, axis, last), matrix}), axis, last);
  }
  return c.CastLike(x, given);
}

Value* AdaptiveAverage(CallComposer& c) {
  const int spatial = SpatialAxes(c.call().op());
  const Batched batched = Batch(c, c.Tensor("self"), spatial);
  const Sizes sizes = TakeSizes(c, batched.x, spatial);
  if (c.failed()) return nullptr;
  Value* y = nullptr;
  if (IsOne(sizes)) {
    y = c.Op("GlobalAveragePool", {batched.x});
  } else if (sizes.in.empty()) {
    y = AverageComputed(c, batched.x, sizes);
  } else if (Divides(sizes)) {
    y = c.Op("AveragePool", {batched.x}, WindowAttributes(sizes));
  } else {
    y = AverageGeneral(c, batched.x, sizes);
  }
  return Unbatch(c, y, batched);
}

// adaptive_avg_pool1d, 2d, 3d
Value* LowerAdaptiveAvgPool(CallComposer& c) { return AdaptiveAverage(c); }

// The largest of each window, and its place within the spatial axes.
Result<Results> LowerAdaptiveMaxPool(Call& call) {
  CallComposer c(call);
  const int spatial = SpatialAxes(call.op());
  const Batched batched = Batch(c, c.Tensor("self"), spatial);
  const Sizes sizes = TakeSizes(c, batched.x, spatial);
  if (c.failed()) return c.Done({});
  if (sizes.in.empty()) {
    const Largest largest = LargestComputed(c, batched.x, sizes);
    return c.Done({Unbatch(c, largest.values, batched), Unbatch(c, largest.places, batched)});
  }
  std::int64_t plane = 1;
  for (std::int64_t size : sizes.in) plane *= size;
  if (Divides(sizes)) {
    const std::vector<Value*> results = c.Ops("MaxPool", {batched.x}, WindowAttributes(sizes), 2);
    Value* places = c.Op("Mod", {results[1], c.Int(plane)});
    return c.Done({Unbatch(c, results[0], batched), Unbatch(c, places, batched)});
  }
  Value* windows = GatherWindows(c, batched.x, sizes, 2);
  const std::int64_t axis = spatial + 2;
  Value* chosen = c.Op("ArgMax", {windows}, {{"axis", axis}, {"keepdims", std::int64_t{1}}});
  Value* values = c.Op("GatherElements", {windows, chosen}, {{"axis", axis}});
  Value* grid = c.Reshape(c.Iota(c.Int(plane)), sizes.in);
  Value* places = c.Expand(GatherWindows(c, grid, sizes, 0), c.Shape(windows));
  Value* indices = c.Op("GatherElements", {places, chosen}, {{"axis", axis}});
  return c.Done({Unbatch(c, c.Squeeze(values, {axis}), batched),
                 Unbatch(c, c.Squeeze(indices, {axis}), batched)});
}

}  // namespace

std::span<const OpRow> AdaptivePoolingRows() {
  static constexpr OpRow kRows[] = {
      {"aten._adaptive_avg_pool2d", LowerAdaptiveAvgPool},
      {"aten._adaptive_avg_pool3d", LowerAdaptiveAvgPool},
      {"aten.adaptive_avg_pool1d", LowerAdaptiveAvgPool, {.grid = kIntegerGrid}},
      {"aten.adaptive_avg_pool2d", LowerAdaptiveAvgPool, {.grid = kIntegerGrid}},
      {"aten.adaptive_avg_pool3d", LowerAdaptiveAvgPool, {.grid = kIntegerGrid}},
      {"aten.adaptive_max_pool1d", LowerAdaptiveMaxPool},
      {"aten.adaptive_max_pool2d", LowerAdaptiveMaxPool},
      {"aten.adaptive_max_pool3d", LowerAdaptiveMaxPool},
  };
  return kRows;
}

}  // namespace dragoman::torch

// SPDX-License-Identifier: Apache-2.0
// Sliding windows as columns and back, and windows along one axis.
#include "importers/torch/ops/op_rows.h"

#include <string>
#include <utility>
#include <vector>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/pooling.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

struct Windows {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> dilation;
  std::vector<std::int64_t> padding;
  std::vector<std::int64_t> stride;
};

Windows TakeWindows(CallComposer& c) {
  return {c.IntPerAxis("kernel_size", 2), c.IntPerAxis("dilation", 2), c.IntPerAxis("padding", 2),
          c.IntPerAxis("stride", 2)};
}

// Where the windows of one axis read in the padded operand: (kernel, windows).
Value* Positions(Composer& c, const Windows& windows, std::size_t axis, Value* size) {
  const std::int64_t reach = windows.dilation[axis] * (windows.kernel[axis] - 1) + 1;
  Value* padded = c.Add(size, c.Int(2 * windows.padding[axis] - reach));
  Value* count = c.Add(c.Div(padded, c.Int(windows.stride[axis])), 1);
  Value* starts = c.Mul(c.Iota(count), c.Int(windows.stride[axis]));
  Value* taps = c.Mul(c.Iota(c.Int(windows.kernel[axis])), c.Int(windows.dilation[axis]));
  return c.Add(c.Unsqueeze(taps, {1}), starts);
}

// im2col: (batch, channels, rows, columns) to (batch, channels * kernel, windows).
Value* LowerIm2Col(CallComposer& c) {
  const Windows windows = TakeWindows(c);
  const Batched batched = Batch(c, c.Tensor("self"), 2);
  Value* rows = Positions(c, windows, 0, c.Size(batched.x, 2));
  Value* columns = Positions(c, windows, 1, c.Size(batched.x, 3));
  const std::int64_t top = windows.padding[0];
  const std::int64_t left = windows.padding[1];
  Value* pads = c.Ints({0, 0, top, left, 0, 0, top, left});
  Value* padded = c.Op("Pad", {batched.x, pads, c.Number(0, batched.x)});
  Value* taken = c.Gather(c.Gather(padded, rows, 2), columns, 4);
  Value* ordered = c.Transpose(taken, {0, 1, 2, 4, 3, 5});
  Value* lead = c.SizeVector(batched.x, 0, 1);
  Value* features =
      c.Mul(c.SizeVector(batched.x, 1, 1), c.Ints({windows.kernel[0] * windows.kernel[1]}));
  Value* count = c.Mul(c.SizeVector(rows, 1, 1), c.SizeVector(columns, 1, 1));
  return Unbatch(c, c.Reshape(ordered, c.ConcatSizes({lead, features, count})), batched);
}

// Argument `output_size`: the numbers of rows and columns, which may be known at run time only.
std::vector<Value*> ImageSizes(CallComposer& c) {
  const std::vector<Number> stated = c.Take(c.call().Scalars("output_size"));
  if (!c.failed() && stated.size() != 1 && stated.size() != 2)
    c.Fail(c.call().Invalid("output_size has " + std::to_string(stated.size()) + " items"));
  if (c.failed()) return {nullptr, nullptr};
  const auto size = [&](const Number& number) {
    return c.Take(c.call().NumberValue(number, DType::kI64));
  };
  return {size(stated.front()), size(stated.back())};
}

// Without the elements that pad both ends of an axis.
Value* WithoutPadding(CallComposer& c, Value* x, int axis, std::int64_t padding) {
  return padding == 0 ? x : c.Slice(x, axis, padding, -padding);
}

// col2im: what lies on one element is added up.
Value* LowerCol2Im(CallComposer& c) {
  const Windows windows = TakeWindows(c);
  const std::vector<Value*> sizes = ImageSizes(c);
  Value* given = c.Tensor("self");
  const bool batched = c.Rank(given) == 3;
  if (c.failed()) return nullptr;
  Value* x = batched ? given : c.Unsqueeze(given, {0});
  Value* height = c.Add(sizes[0], c.Int(2 * windows.padding[0]));
  Value* width = c.Add(sizes[1], c.Int(2 * windows.padding[1]));
  Value* rows = c.Unsqueeze(Positions(c, windows, 0, sizes[0]), {1, 3});
  Value* columns = c.Unsqueeze(Positions(c, windows, 1, sizes[1]), {0, 2});
  Value* places = c.Add(c.Mul(rows, width), columns);
  Value* kernel = c.Ints({windows.kernel[0] * windows.kernel[1]});
  Value* channels = c.Div(c.SizeVector(x, 1, 1), kernel);
  Value* batch = c.SizeVector(x, 0, 1);
  Value* lines =
      c.Reshape(x, c.ConcatSizes({batch, channels, c.Mul(kernel, c.SizeVector(x, 2, 1))}));
  Value* indices = c.Expand(c.Flatten(places), c.Shape(lines));
  Value* area = c.Vector(c.Mul(height, width));
  Value* zeros = c.Full(c.ConcatSizes({batch, channels, area}), 0, c.dtype(x));
  Value* sums = c.Op("ScatterElements", {zeros, indices, lines},
                     {{"axis", std::int64_t{2}}, {"reduction", "add"}});
  Value* image =
      c.Reshape(sums, c.ConcatSizes({batch, channels, c.Vector(height), c.Vector(width)}));
  image = WithoutPadding(c, image, 2, windows.padding[0]);
  image = WithoutPadding(c, image, 3, windows.padding[1]);
  return batched ? image : c.Squeeze(image, {0});
}

// unfold: windows of `size` every `step` elements of an axis; the window becomes the last axis.
Result<Results> LowerUnfold(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  const int axis = c.AxisArgument("dimension", x);
  const std::int64_t size = c.Int("size");
  const std::int64_t step = c.Int("step");
  if (!c.failed() && step < 1) return call.Invalid("step must be positive");
  View view;
  view.get = [=](Composer& inner, Value* base) {
    if (rank == 0) return inner.Reshape(base, {size});
    Value* count = inner.Add(
        inner.Div(inner.Sub(inner.Size(base, axis), inner.Int(size)), inner.Int(step)), 1);
    Value* starts = inner.Unsqueeze(inner.Mul(inner.Iota(count), inner.Int(step)), {1});
    Value* taken = inner.Gather(base, inner.Add(starts, inner.Iota(inner.Int(size))), axis);
    std::vector<std::int64_t> permutation = AllAxes(rank + 1);
    permutation.erase(permutation.begin() + axis + 1);
    permutation.push_back(axis + 1);
    return inner.Transpose(taken, std::move(permutation));
  };
  view.steps = [=](std::vector<Dim> base) {
    Dim within = 1;
    if (rank > 0) {
      Dim& along = base[static_cast<std::size_t>(axis)];
      within = along;
      along = along * step;
    }
    base.push_back(within);
    return base;
  };
  view.may_overlap = size > step;
  return LowerView(c, std::move(view));
}

}  // namespace

std::span<const OpRow> FoldRows() {
  static constexpr OpRow kRows[] = {
      {"aten.col2im", LowerCol2Im},
      {"aten.im2col", LowerIm2Col, {.complex = true}},
      {"aten.unfold", LowerUnfold, {.complex = true}},
      {"aten.unfold_copy", LowerUnfold, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch

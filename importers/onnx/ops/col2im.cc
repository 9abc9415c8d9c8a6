// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {
namespace {

// Along one axis, all of rank 1: the size of the blocks and of the image with its pads, and where
// the elements of the blocks lie in that, (block, blocks).
struct Axis {
  Value* block;
  Value* padded;
  Value* places;
};

Value* Iota(OpComposer& f, Value* count) { return f.Iota(f.Op("Squeeze", {count, f.Ints({0})})); }

Axis PlacesAlong(OpComposer& f, Value* image, Value* block, std::int64_t pads,
                 std::int64_t dilation, std::int64_t stride) {
  Value* padded = f.Op("Add", {image, f.Ints({pads})});
  Value* reach = f.Op("Mul", {f.Op("Sub", {block, f.Ints({1})}), f.Ints({dilation})});
  Value* last = f.Op("Sub", {f.Op("Sub", {padded, reach}), f.Ints({1})});
  Value* blocks = f.Op("Add", {f.Op("Div", {last, f.Ints({stride})}), f.Ints({1})});
  Value* starts = f.Op("Mul", {Iota(f, blocks), f.Int(stride)});
  Value* taps = f.Op("Mul", {Iota(f, block), f.Int(dilation)});
  return {block, padded, f.Op("Add", {f.Op("Unsqueeze", {taps, f.Ints({1})}), starts})};
}

struct Windows {
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> pads;  // those before, then those after
};

Result<Windows> TakeWindows(OpLowering& op, std::size_t axes) {
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> dilations, op.TakeInts("dilations"));
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> strides, op.TakeInts("strides"));
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> pads, op.TakeInts("pads"));
  const std::vector<std::int64_t> ones(axes, 1);
  Windows windows{dilations.value_or(ones), strides.value_or(ones),
                  pads.value_or(std::vector<std::int64_t>(2 * axes, 0))};
  if (axes == 0 || windows.dilations.size() != axes || windows.strides.size() != axes ||
      windows.pads.size() != 2 * axes)
    return op.Invalid("dilations, strides or pads do not fit image_shape");
  for (const std::int64_t stride : windows.strides) {
    if (stride < 1) return op.Invalid("a stride is " + std::to_string(stride));
  }
  return windows;
}

// The places of one axis among those of all, (block..., blocks...).
Value* Spread(OpComposer& f, Value* places, std::size_t axis, std::size_t axes) {
  std::vector<std::int64_t> others;
  for (std::size_t j = 0; j < 2 * axes; ++j) {
    if (j != axis && j != axes + axis) others.push_back(static_cast<std::int64_t>(j));
  }
  return others.empty() ? places : f.Op("Unsqueeze", {places, f.Ints(others)});
}

}  // namespace

// (batch, channels * block, blocks) to images: what lies on one element is added up.
LoweredResults LowerCol2Im(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  Value* columns = op.operand(0);
  const Shape* vector = op.operand(1)->type().shape();
  if (vector == nullptr || vector->size() != 1 || !(*vector)[0].known()) return op.EmitForeign();
  const auto axes = static_cast<std::size_t>((*vector)[0].value());
  DRAGOMAN_ASSIGN(const Windows windows, TakeWindows(op, axes));
  const std::vector<std::int64_t>& pads = windows.pads;
  OpComposer f(op);
  Value* places = f.Int(0);  // in the image with its pads, (block..., blocks...)
  Value* block = f.Ints({1});
  Value* area = f.Ints({1});
  std::vector<Value*> padded;
  std::vector<std::int64_t> spatial;
  for (std::size_t i = 0; i < axes; ++i) {
    Value* along = f.Ints({static_cast<std::int64_t>(i)});
    const Axis axis = PlacesAlong(f, f.Op("Gather", {op.operand(1), along}),
                                  f.Op("Gather", {op.operand(2), along}), pads[i] + pads[axes + i],
                                  windows.dilations[i], windows.strides[i]);
    places = f.Op("Add", {f.Op("Mul", {places, axis.padded}), Spread(f, axis.places, i, axes)});
    block = f.Op("Mul", {block, axis.block});
    area = f.Op("Mul", {area, axis.padded});
    padded.push_back(axis.padded);
    spatial.push_back(static_cast<std::int64_t>(i + 2));
  }

  Value* batch = f.SizeVector(columns, 0, 1);
  Value* channels = f.Op("Div", {f.SizeVector(columns, 1, 1), block});
  Value* lines = f.Op("Reshape", {columns, f.Concat({batch, channels, f.Ints({-1})}, 0)});
  Value* zeros = f.Op("Expand", {f.Number(0, columns), f.Concat({batch, channels, area}, 0)});
  Value* indices =
      f.Op("Expand", {f.Op("Reshape", {places, f.Ints({-1})}), f.Op("Shape", {lines})});
  Value* sums = f.Op("ScatterElements", {zeros, indices, lines},
                     {{"axis", std::int64_t{2}}, {"reduction", "add"}});
  Value* sizes = f.Concat(padded, 0);
  Value* image = f.Op("Reshape", {sums, f.Concat({batch, channels, sizes}, 0)});
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(axes);
  Value* first = f.Ints({pads.begin(), middle});
  Value* end = f.Op("Sub", {sizes, f.Ints({middle, pads.end()})});
  return f.Finish({f.Op("Slice", {image, first, end, f.Ints(spatial)}, {}, op.ResultName(0))});
}

}  // namespace dragoman

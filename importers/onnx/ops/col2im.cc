#include <string>

#include "importers/onnx/ops/formula.h"
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

Value* Iota(Formula& f, Value* count) { return f.Iota(f.Add("Squeeze", {count, f.Ints({0})})); }

Axis PlacesAlong(Formula& f, Value* image, Value* block, std::int64_t pads, std::int64_t dilation,
                 std::int64_t stride) {
  Value* padded = f.Add("Add", {image, f.Ints({pads})});
  Value* reach = f.Add("Mul", {f.Add("Sub", {block, f.Ints({1})}), f.Ints({dilation})});
  Value* last = f.Add("Sub", {f.Add("Sub", {padded, reach}), f.Ints({1})});
  Value* blocks = f.Add("Add", {f.Add("Div", {last, f.Ints({stride})}), f.Ints({1})});
  Value* starts = f.Add("Mul", {Iota(f, blocks), f.Int(stride)});
  Value* taps = f.Add("Mul", {Iota(f, block), f.Int(dilation)});
  return {block, padded, f.Add("Add", {f.Add("Unsqueeze", {taps, f.Ints({1})}), starts})};
}

}  // namespace

// (batch, channels * block, blocks) to images: what lies on one element is added up.
LoweredResults LowerCol2Im(OpLowering& op) {
  Value* columns = op.operand(0);
  if (columns == nullptr || op.operand(1) == nullptr || op.operand(2) == nullptr)
    return op.Invalid("an operand is missing");
  const Shape* vector = op.operand(1)->type().shape();
  if (vector == nullptr || vector->size() != 1 || !(*vector)[0].known()) return op.EmitForeign();
  const auto axes = static_cast<std::size_t>((*vector)[0].value());
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> dilations, op.TakeInts("dilations"));
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> strides, op.TakeInts("strides"));
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> pads, op.TakeInts("pads"));
  if (!dilations) dilations.emplace(axes, 1);
  if (!strides) strides.emplace(axes, 1);
  if (!pads) pads.emplace(2 * axes, 0);
  if (axes == 0 || dilations->size() != axes || strides->size() != axes || pads->size() != 2 * axes)
    return op.Invalid("dilations, strides or pads do not fit image_shape");
  for (const std::int64_t stride : *strides) {
    if (stride < 1) return op.Invalid("a stride is " + std::to_string(stride));
  }

  Formula f(op);
  Value* places = nullptr;  // in the image with its pads, (block..., blocks...)
  Value* area = f.Ints({1});
  Value* padded = nullptr;
  Value* block = f.Ints({1});
  for (std::size_t i = 0; i < axes; ++i) {
    Value* along = f.Ints({static_cast<std::int64_t>(i)});
    const Axis axis = PlacesAlong(f, f.Add("Gather", {op.operand(1), along}),
                                  f.Add("Gather", {op.operand(2), along}),
                                  (*pads)[i] + (*pads)[axes + i], (*dilations)[i], (*strides)[i]);
    std::vector<std::int64_t> others;
    for (std::size_t j = 0; j < 2 * axes; ++j) {
      if (j != i && j != axes + i) others.push_back(static_cast<std::int64_t>(j));
    }
    Value* spread =
        others.empty() ? axis.places : f.Add("Unsqueeze", {axis.places, f.Ints(others)});
    places =
        places == nullptr ? spread : f.Add("Add", {f.Add("Mul", {places, axis.padded}), spread});
    area = f.Add("Mul", {area, axis.padded});
    block = f.Add("Mul", {block, axis.block});
    padded = padded == nullptr ? axis.padded : f.Joined({padded, axis.padded});
  }

  Value* batch = f.SizeVector(columns, 0);
  Value* channels = f.Add("Div", {f.SizeVector(columns, 1), block});
  Value* lines = f.Add("Reshape", {columns, f.Joined({batch, channels, f.Ints({-1})})});
  Value* zeros = f.Add("Expand", {f.Scalar(0, columns), f.Joined({batch, channels, area})});
  Value* indices =
      f.Add("Expand", {f.Add("Reshape", {places, f.Ints({-1})}), f.Add("Shape", {lines})});
  Value* sums = f.Add("ScatterElements", {zeros, indices, lines},
                      {{"axis", std::int64_t{2}}, {"reduction", "add"}});
  Value* image = f.Add("Reshape", {sums, f.Joined({batch, channels, padded})});
  const auto middle = pads->begin() + static_cast<std::ptrdiff_t>(axes);
  std::vector<std::int64_t> spatial;
  for (std::size_t i = 0; i < axes; ++i) spatial.push_back(static_cast<std::int64_t>(i + 2));
  Value* first = f.Ints({pads->begin(), middle});
  Value* end = f.Add("Sub", {padded, f.Ints({middle, pads->end()})});
  return f.Finish({f.Add("Slice", {image, first, end, f.Ints(spatial)}, {}, op.ResultName(0))});
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {
namespace {

// The places of `size` points along an axis from -1 to 1: of their centres, or with the outermost
// points at the ends. One point alone is at the first end.
Value* PixelPlaces(OpComposer& f, Value* size, bool at_ends, const Value* like) {
  const DType dtype = like->type().dtype();
  Value* index = f.Cast(f.Iota(size), dtype);
  Value* gaps = at_ends ? f.Op("Max", {f.Op("Sub", {size, f.Int(1)}), f.Int(1)}) : size;
  Value* count = f.Cast(gaps, dtype);
  Value* step = f.Op("Div", {f.Number(2, like), count});
  Value* scaled = f.Op("Mul", {index, step});
  Value* first = f.Number(-1, like);
  if (!at_ends) first = f.Op("Add", {first, f.Op("Div", {step, f.Number(2, like)})});
  return f.Op("Add", {scaled, first});
}

}  // namespace

// Of each point of an image of `size` (N, C, [D,] H, W), where theta (N, k, k + 1) puts it: (N,
// [D,] H, W, k), innermost axis first.
LoweredResults LowerAffineGrid(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  Value* theta = op.operand(0);
  const Shape* shape = theta->type().shape();
  Dim axes = shape != nullptr && shape->size() == 3 ? (*shape)[1] : Dim::Unknown();
  const Shape* listed = op.operand(1)->type().shape();
  if (!axes.known() && listed != nullptr && listed->size() == 1 && listed->front().known())
    axes = Dim(listed->front().value() - 2);
  if (!axes.known() || theta->type().dtype() == DType::kUnknown) return op.EmitForeign();
  DRAGOMAN_ASSIGN(std::optional<std::int64_t> align_corners, op.TakeInt("align_corners"));
  const std::int64_t k = axes.value();
  if (k != 2 && k != 3) return op.Invalid("theta is " + theta->type().ToString());
  OpComposer f(op);
  Value* size = f.Cast(op.operand(1), DType::kI64);
  std::vector<std::int64_t> spatial;
  for (std::int64_t i = 0; i < k; ++i) spatial.push_back(i + 2);
  Value* one = f.Ints({1});
  Value* image = f.Op("Gather", {size, f.Ints(spatial)});
  Value* column = f.Concat({image, one}, 0);
  std::vector<Value*> points;
  for (std::int64_t i = k - 1; i >= 0; --i) {
    Value* length = f.Op("Gather", {size, f.Int(i + 2)});
    std::vector<std::int64_t> lines(static_cast<std::size_t>(k + 1), 1);
    lines[static_cast<std::size_t>(i)] = -1;
    Value* places = PixelPlaces(f, length, align_corners.value_or(0) != 0, theta);
    points.push_back(f.Op("Expand", {f.Op("Reshape", {places, f.Ints(lines)}), column}));
  }
  points.push_back(f.Op("Expand", {f.Number(1, theta), column}));
  Value* homogeneous = f.Op("Concat", points, {{"axis", k}});
  Value* flat = f.Op("Reshape", {homogeneous, f.Ints({-1, k + 1})});
  Value* moved =
      f.Op("MatMul", {flat, f.Op("Transpose", {theta}, {{"perm", Attribute::Ints{0, 2, 1}}})});
  Value* batch = f.Op("Gather", {size, f.Ints({0})});
  Value* sizes = f.Concat({batch, image, f.Ints({k})}, 0);
  return f.Finish({f.Op("Reshape", {moved, sizes}, {}, op.ResultName(0))});
}

}  // namespace dragoman

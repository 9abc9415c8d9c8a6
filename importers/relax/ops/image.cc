// SPDX-License-Identifier: Apache-2.0
// Images: sizes, sampling, regions.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lowering/layout.h"
#include "importers/relax/ops/call.h"
#include "importers/tvm/sampling.h"

namespace dragoman::tvmscript {
namespace {

// The layout with channels in front of 2 or 3 axes of space.
std::string PlainLayout(int axes) { return axes == 2 ? "NCHW" : "NCDHW"; }

// By coordinates and rounding that ONNX has alike, whatever the sizes are.
void AddNearest(Call& c, const std::string& coordinates, std::vector<NamedAttribute>& attributes) {
  const std::string rounding = c.Text("rounding_method");
  if (coordinates != "asymmetric" || (rounding != "floor" && !rounding.empty()))
    c.Fail("a nearest element by coordinates \"" + coordinates + "\" and rounding \"" + rounding +
           "\" of unknown sizes is not supported");
  attributes.emplace_back("mode", "nearest");
  attributes.emplace_back("nearest_mode", "floor");
}

// Where TVM looks for element `place` of `to`, in float32 as it computes.
float CoordinateOf(const std::string& coordinates, std::int64_t place, std::int64_t from,
                   std::int64_t to) {
  const auto x = static_cast<float>(place), in = static_cast<float>(from),
             out = static_cast<float>(to);
  if (coordinates == "align_corners")
    return to > 1 ? static_cast<float>(from - 1) / static_cast<float>(to - 1) * x : 0.0F;
  if (coordinates == "asymmetric") return in / out * x;
  if (coordinates == "pytorch_half_pixel" && to <= 1) return 0.0F;
  return (x + 0.5F) * (in / out) - 0.5F;
}

// nullopt: no such rounding.
std::optional<float> Rounded(float x, const std::string& rounding) {
  constexpr float kSlack = 1e-5F;  // as TVM has it
  if (rounding == "round") return std::nearbyint(x);
  if (rounding == "round_prefer_floor") return std::ceil(x - 0.5F);
  if (rounding == "round_prefer_ceil") return std::floor(x + 0.5F);
  if (rounding == "floor") return std::floor(x + kSlack);
  if (rounding == "ceil") return std::ceil(x - kSlack);
  return std::nullopt;
}

// Elements by their places along each axis of space, all sizes being known.
Value* TakeNearest(Call& c, Value* x, const Ints& from, const Ints& to,
                   const std::string& coordinates) {
  std::string rounding = c.Text("rounding_method");
  if (rounding.empty()) rounding = coordinates == "align_corners" ? "round" : "floor";
  for (std::size_t axis = 0; axis < to.size() && !c.failed(); ++axis) {
    Ints places;
    for (std::int64_t i = 0; i < to[axis]; ++i) {
      const std::optional<float> place =
          Rounded(CoordinateOf(coordinates, i, from[axis], to[axis]), rounding);
      if (!place) return c.Fail("rounding_method \"" + rounding + "\" is not supported");
      places.push_back(
          std::clamp<std::int64_t>(static_cast<std::int64_t>(*place), 0, from[axis] - 1));
    }
    x = c.Gather(x, c.Ints(places), static_cast<int>(axis) + 2);
  }
  return x;
}

void CheckCoordinates(Call& c, const std::string& coordinates, Value* sizes,
                      const std::string& method) {
  static constexpr std::string_view kKnown[] = {"half_pixel", "align_corners", "asymmetric",
                                                "pytorch_half_pixel"};
  if (std::ranges::count(kKnown, coordinates) == 0)
    c.Fail("coordinate_transformation_mode \"" + coordinates + "\" is not supported");
  // Of one element, TVM interpolates at other places.
  if (c.failed() || method == "nearest_neighbor" ||
      (coordinates != "align_corners" && coordinates != "pytorch_half_pixel"))
    return;
  const std::optional<Ints> known = c.builder().KnownInts(sizes);
  if (!known || std::ranges::any_of(*known, [](std::int64_t size) { return size < 2; }))
    c.Fail("coordinates \"" + coordinates + "\" with a size that may be 1 are not supported");
}

// nullopt: some are not known, or none.
std::optional<Ints> SizesOfSpace(Call& c, Value* x, int axes) {
  Ints sizes;
  for (int axis = 0; axis < axes && !c.failed(); ++axis) {
    const std::optional<std::int64_t> size = c.KnownSize(x, axis + 2);
    if (!size || *size < 1) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

Abstract LowerResize(Call& c, int axes) {
  const std::string layout = c.Text("layout");
  Value* x = ToLayout(c, c.X("data"), layout, PlainLayout(axes));
  Value* sizes = c.Sizes("size");
  const std::string method = c.Text("method");
  const std::string coordinates = c.Text("coordinate_transformation_mode");
  if (c.failed()) return Poison();
  if (c.Type("out_dtype", c.dtype(x)) != c.dtype(x)) c.Fail("another out_dtype is not supported");
  std::vector<NamedAttribute> attributes = {{"coordinate_transformation_mode", coordinates}};
  CheckCoordinates(c, coordinates, sizes, method);
  if (method == "nearest_neighbor") {
    const std::optional<Ints> from = SizesOfSpace(c, x, axes);
    const std::optional<Ints> to = c.failed() ? std::nullopt : c.builder().KnownInts(sizes);
    const bool in_front = coordinates == "asymmetric" && c.Text("rounding_method") == "floor";
    if (from && to && !in_front && to->size() == from->size() && !c.failed())
      return c.NewTensor(
          ToLayout(c, TakeNearest(c, x, *from, *to, coordinates), PlainLayout(axes), layout));
    AddNearest(c, coordinates, attributes);
  } else if (method == "linear" || method == "cubic") {
    if (!IsFloating(c.dtype(x))) c.Fail("method \"" + method + "\" of integers is not supported");
    attributes.emplace_back("mode", method);
  } else {
    c.Fail("method \"" + method + "\" is not supported");
  }
  if (method == "cubic") {
    attributes.emplace_back("cubic_coeff_a", static_cast<float>(c.Float("cubic_alpha")));
    attributes.emplace_back("exclude_outside", c.Int("cubic_exclude"));
  }
  if (c.failed()) return Poison();
  Value* all = c.ConcatSizes({c.SizeVector(x, 0, 2), c.Cast(sizes, DType::kI64)});
  Value* y = c.Op("Resize", {x, nullptr, nullptr, all}, std::move(attributes));
  return c.NewTensor(ToLayout(c, y, PlainLayout(axes), layout));
}

Abstract LowerGridSample(Call& c) {
  c.Expect("layout", {"NCHW", "NCDHW"});
  return c.NewTensor(tvm::GridSample(c, c.X("data"), c.X("grid"),
                                     {.method = c.Text("method"),
                                      .padding = c.Text("padding_mode"),
                                      .align_corners = c.Bool("align_corners")}));
}

Abstract LowerRoiAlign(Call& c) {
  const std::string layout = c.Text("layout");
  Value* x = ToLayout(c, c.X("data"), layout, "NCHW");
  c.Expect("mode", {"avg", "max"});
  Value* y = tvm::RoiAlign(c, x, c.X("rois"),
                           {.size = c.IntsOf("pooled_size"),
                            .scale = c.Float("spatial_scale"),
                            .samples = c.Int("sample_ratio"),
                            .takes_max = c.Text("mode") == "max",
                            .aligned = c.Bool("aligned")});
  return c.NewTensor(ToLayout(c, y, "NCHW", layout));
}

// TVM rounds corners, halves to even numbers.
Abstract LowerRoiPool(Call& c) {
  const std::string layout = c.Text("layout");
  if (c.failed()) return Poison();
  Value* x = ToLayout(c, c.X("data"), layout, "NCHW");
  Value* rois = c.X("rois");
  Ints size = c.IntsOf("pooled_size");
  if (size.size() == 1) size.push_back(size.front());
  if (!c.failed() && size.size() != 2) c.Fail("pooled_size is not a pair");
  Value* corners = c.Op("Round", {c.Mul(c.Slice(rois, 1, 1, 5), c.Float("spatial_scale"))});
  Value* regions = c.Op("Concat", {c.Slice(rois, 1, 0, 1), corners}, {{"axis", std::int64_t{1}}});
  Value* y = c.Op("MaxRoiPool", {x, regions}, {{"pooled_shape", size}});
  return c.NewTensor(ToLayout(c, y, "NCHW", layout));
}

// The rows that count, and how many they are. TVM has rows after them, which a module must cut
// off.
Abstract LowerNonMaxSuppression(Call& c) {
  Value* boxes = c.X("boxes");
  Value* scores = c.X("scores");
  c.Expect("output_format", {"onnx"});
  if (c.failed()) return Poison();
  if (c.dtype(boxes) != DType::kF32) return c.NewTensor(c.Fail("boxes of another type than f32"));
  Value* limit = c.Cast(c.Scalar("max_output_boxes_per_class", DType::kI64), DType::kI64);
  Value* overlap = c.Cast(c.Scalar("iou_threshold", DType::kF32), DType::kF32);
  Value* least = c.Cast(c.Scalar("score_threshold", DType::kF32), DType::kF32);
  Value* rows = c.Op("NonMaxSuppression", {boxes, scores, limit, overlap, least});
  return c.NewTuple({rows, c.failed() ? nullptr : c.SizeVector(rows, 0, 1)});
}

Abstract LowerAffineGrid(Call& c) {
  Value* theta = c.X("data");
  if (!c.Bool("align_corners")) c.Fail("align_corners=False is not supported");
  Value* size = c.Sizes("size");
  if (c.failed()) return Poison();
  const std::optional<Ints> known = c.builder().KnownInts(size);
  return c.NewTensor(known ? tvm::AffineGrid(c, theta, *known) : c.Fail("a size of run time"));
}

}  // namespace

std::span<const LoweringRow> ImageRows() {
  static constexpr LoweringRow kRows[] = {
      {"image.affine_grid", LowerAffineGrid},
      {"image.grid_sample", LowerGridSample},
      {"image.resize2d", With<LowerResize, 2>},
      {"image.resize3d", With<LowerResize, 3>},
      {"vision.all_class_non_max_suppression", LowerNonMaxSuppression},
      {"vision.roi_align", LowerRoiAlign},
      {"vision.roi_pool", LowerRoiPool},
  };
  return kRows;
}

}  // namespace dragoman::tvmscript

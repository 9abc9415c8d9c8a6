// SPDX-License-Identifier: Apache-2.0
// Images: resizing, sampling, regions.
#include "codegen/relay/ops/op_rows.h"

#include <optional>
#include <string>

#include "codegen/relay/nd_array.h"
#include "codegen/relay/ops/resize_matrix.h"
#include "codegen/relay/ops/sizes.h"
#include "codegen/relay/ops/window.h"
#include "codegen/tvm/suppression.h"

namespace dragoman::relay::emit {
namespace {

Result<std::string> RoundingOf(const RelayOp& op) {
  const std::string mode = op.String("nearest_mode", "round_prefer_floor");
  if (mode == "round_prefer_floor" || mode == "round_prefer_ceil" || mode == "floor" ||
      mode == "ceil")
    return mode;
  return op.Refuse("nearest_mode " + mode);
}

// Relay computes coordinates from sizes alone: scales must be their quotients.
Status CheckScales(const RelayOp& op, const Shape& from, const Shape& to) {
  const Tensor* scales = op.has(2) ? op.node.operand(2)->tensor() : nullptr;
  if (op.has(2) && scales == nullptr) return op.Refuse("scales that are known at run time only");
  // Without elements they are not given, as in ONNX before operands could be omitted.
  if (scales == nullptr || scales->size() == 0) return {};
  for (std::size_t i = 2; i < from.size(); ++i) {
    const double exact = static_cast<double>(to[i].value()) / static_cast<double>(from[i].value());
    const double given = scales->FloatAt(static_cast<std::int64_t>(i));
    if (static_cast<float>(exact) != static_cast<float>(given))
      return op.Refuse("a scale that is not the quotient of the sizes");
  }
  return {};
}

// What TVM computes otherwise: for images and asymmetric coordinates to a multiple of the size it
// takes the element in front, whatever rounding is asked for; it divides by 0 where corners are
// aligned in a single element.
Status CheckNearest(const RelayOp& op, const Shape& from, const Shape& to) {
  const std::string coordinates = op.String("coordinate_transformation_mode", "half_pixel");
  const bool nearest = op.String("mode", "nearest") == "nearest" && to.size() == 4 &&
                       coordinates == "asymmetric" &&
                       op.String("nearest_mode", "round_prefer_floor") != "floor";
  for (std::size_t i = 2; i < to.size(); ++i) {
    const std::int64_t begin = from[i].value(), end = to[i].value();
    if (nearest && begin > 0 && end > begin && end % begin == 0)
      return op.Refuse("another nearest element than the one in front, of a multiple of the size");
    if (end == 1 && coordinates == "align_corners")
      return op.Refuse("aligned corners of a single element");
  }
  return {};
}

Emitted EmitImageResize(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t spatial, SpatialAxes(op));
  DRAGOMAN_ASSIGN(const Shape from, op.shape(0));
  DRAGOMAN_ASSIGN(const Shape to, op.result_shape());
  if (from[0] != to[0] || from[1] != to[1]) return op.Refuse("batch or channels of other sizes");
  const Shape ends(to.begin() + 2, to.end());
  const Shape begins(from.begin() + 2, from.end());
  DRAGOMAN_ASSIGN(Ints sizes, op.KnownSizes(ends));
  DRAGOMAN_TRY(op.KnownSizes(begins));
  if (!op.Ints("axes").empty()) return op.Refuse("axes by name");
  if (op.Int("antialias") != 0) return op.Refuse("antialiasing");
  if (op.String("keep_aspect_ratio_policy", "stretch") != "stretch")
    return op.Refuse("a policy on the aspect ratio");
  DRAGOMAN_TRY(CheckScales(op, from, to));
  DRAGOMAN_TRY(CheckNearest(op, from, to));
  const std::string coordinates = op.String("coordinate_transformation_mode", "half_pixel");
  if (coordinates == "tf_crop_and_resize" || coordinates == "half_pixel_symmetric")
    return op.Refuse("coordinate_transformation_mode " + coordinates);
  const std::string mode = op.String("mode", "nearest");
  if (mode != "nearest" && !IsFloating(op.dtype())) return op.Refuse("interpolated integers");
  const Attribute::Doubles no_region(2 * static_cast<std::size_t>(spatial), 0.0);
  Attribute::Dict attributes = {{"size", std::move(sizes)},
                                {"roi", no_region},
                                {"method", mode == "nearest" ? "nearest_neighbor" : mode},
                                {"coordinate_transformation_mode", coordinates}};
  if (mode == "nearest") {
    DRAGOMAN_ASSIGN(std::string rounding, RoundingOf(op));
    attributes.emplace_back("rounding_method", rounding);
  } else {
    attributes.emplace_back("rounding_method", "");
  }
  if (mode == "cubic") {
    attributes.emplace_back("cubic_alpha", op.Float("cubic_coeff_a"));
    attributes.emplace_back("cubic_exclude", op.Int("exclude_outside"));
  }
  return One(
      op.Do("image.resize" + std::to_string(spatial) + "d", {op.arg(0)}, std::move(attributes)));
}

Emitted EmitResize(RelayOp& op) {
  Emitted image = EmitImageResize(op);
  return image.ok() ? std::move(image) : EmitResizeByMatrix(op);
}

// Relay's grid has its coordinates in axis 1.
Emitted EmitGridSample(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  if (rank != 4) return op.Refuse("other than two spatial axes");
  std::string mode = op.String("mode", "linear");
  if (mode == "linear" || mode == "bilinear") mode = "bilinear";
  if (mode == "cubic") mode = "bicubic";
  return One(op.Do("image.grid_sample", {op.arg(0), Transpose(op, op.arg(1), {0, 3, 1, 2})},
                   {{"method", mode},
                    {"padding_mode", op.String("padding_mode", "zeros")},
                    {"align_corners", op.Int("align_corners") != 0}}));
}

// Relay's regions begin with the number of their image.
Emitted EmitRoiAlign(RelayOp& op) {
  if (op.String("coordinate_transformation_mode", "half_pixel") != "output_half_pixel")
    return op.Refuse("coordinate_transformation_mode half_pixel");
  const std::string mode = op.String("mode", "avg");
  if (mode != "avg") return op.Refuse("mode " + mode);
  Value* batch = op.Do("expand_dims", {op.ArgAs(2, op.dtype(1))}, {{"axis", std::int64_t{1}}});
  Value* regions =
      op.Do("concatenate", {op.builder.Tuple({batch, op.arg(1)})}, {{"axis", std::int64_t{1}}});
  const std::int64_t ratio = op.Int("sampling_ratio");
  return One(op.Do("vision.roi_align", {op.arg(0), regions},
                   {{"pooled_size", Ints{op.Int("output_height"), op.Int("output_width")}},
                    {"spatial_scale", op.Float("spatial_scale")},
                    {"sample_ratio", ratio == 0 ? std::int64_t{-1} : ratio},
                    {"mode", mode}}));
}

// (y1, x1, y2, x2) of boxes that are given as centre x, centre y, width, height.
Value* Corners(RelayOp& op, Value* boxes) {
  Value* parts = op.Do("split", {boxes},
                       {{"indices_or_sections", std::int64_t{4}}, {"axis", std::int64_t{2}}});
  const auto half = [&](std::size_t i) {
    return op.Do("multiply", {op.builder.Element(parts, i), op.Number(0.5)});
  };
  Value* x = op.builder.Element(parts, 0);
  Value* y = op.builder.Element(parts, 1);
  Value* half_width = half(2);
  Value* half_height = half(3);
  return op.Do(
      "concatenate",
      {op.builder.Tuple({op.Do("subtract", {y, half_height}), op.Do("subtract", {x, half_width}),
                         op.Do("add", {y, half_height}), op.Do("add", {x, half_width})})},
      {{"axis", std::int64_t{2}}});
}

// The overlap that suppresses a box: TVM asks whether one reaches it, and finds no box below 0.
Value* LeastOverlap(RelayOp& op) {
  if (!op.has(3)) return op.Number(tvm::kLeastOverlap);
  if (const Tensor* known = op.node.operand(3)->tensor())
    return op.Number(tvm::LeastOverlapAbove(known->FloatAt(0)));
  Value* overlap = AsScalar(op.builder, op.arg(3), op.type(3));
  Value* above = op.Do("add", {overlap, op.Do("multiply", {overlap, op.Number(tvm::kStep)})});
  return op.Do("maximum", {above, op.Number(tvm::kLeastOverlap)});
}

struct Scores {
  Value* scores;
  Value* least;
};

// TVM takes a score that is not positive for that of a box that was suppressed: in the place of
// scores that need not be positive stand their ranks.
Scores PositiveScores(RelayOp& op) {
  Value* scores = op.arg(1);
  const Tensor* known = op.has(4) ? op.node.operand(4)->tensor() : nullptr;
  if (known != nullptr && known->FloatAt(0) >= 0) return {scores, op.Number(known->FloatAt(0))};
  const auto order = [&](Value* x, bool ascends) {
    return op.Do("argsort", {x},
                 {{"axis", std::int64_t{-1}}, {"is_ascend", ascends}, {"dtype", "int32"}});
  };
  Value* rank = op.Do("cast", {order(order(scores, false), true)}, {{"dtype", "float32"}});
  Value* positive = op.Do("subtract", {op.Number(tvm::kMostBoxes), rank});
  if (op.has(4)) {
    Value* least = AsScalar(op.builder, op.arg(4), op.type(4));
    positive = op.Do("where", {op.Do("greater", {scores, least}), positive, op.Number(0)});
  }
  return {positive, op.Number(0)};
}

// Relay pads the rows, and gives how many count. A limit of 0 is none.
Emitted EmitNonMaxSuppression(RelayOp& op) {
  const std::optional<Ints> limit = op.has(2) ? op.MaybeInts(2) : Ints{0};
  if (limit && limit->front() <= 0) return op.Refuse("no box in each class");
  Value* boxes = op.Int("center_point_box") != 0 ? Corners(op, op.arg(0)) : op.arg(0);
  const Scores scores = PositiveScores(op);
  Value* both = op.Do("vision.all_class_non_max_suppression",
                      {boxes, scores.scores, AsScalar(op.builder, op.arg(2), op.type(2)),
                       LeastOverlap(op), scores.least},
                      {{"output_format", "onnx"}});
  return One(op.Do("dyn.strided_slice",
                   {op.builder.Element(both, 0), op.IntVector({0}), op.builder.Element(both, 1),
                    op.IntVector({1})},
                   {{"begin", Attribute()},
                    {"end", Attribute()},
                    {"strides", Attribute()},
                    {"axes", Attribute()}}));
}

}  // namespace

std::span<const Row> ImageRows() {
  static constexpr Row kRows[] = {
      {"GridSample", EmitGridSample},
      {"NonMaxSuppression", EmitNonMaxSuppression},
      {"Resize", EmitResize},
      {"RoiAlign", EmitRoiAlign},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit

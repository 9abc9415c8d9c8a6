// SPDX-License-Identifier: Apache-2.0
// Resize: by R.image.resize2d where that says it. Relax takes the scale from the sizes, so that a
// scale must give them exactly. Of nearest elements TVM takes the one in front, whatever is asked
// for, where the sizes are multiples of the operand's.
#include "codegen/relax/ops/op_rows.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "codegen/relax/ops/resize_axis.h"

namespace dragoman::relax {
namespace {

constexpr std::array<std::string_view, 4> kCoordinates = {"half_pixel", "align_corners",
                                                          "asymmetric", "pytorch_half_pixel"};

bool IsKnownCoordinate(std::string_view mode) {
  for (std::string_view known : kCoordinates) {
    if (known == mode) return true;
  }
  return false;
}

Status CheckSizes(const RelaxOp& op, const Shape& from, const Shape& to, bool needs_two) {
  if (from.size() != 4 || from[0] != to[0] || from[1] != to[1])
    return op.Refuse("only two spatial axes are resized");
  for (std::size_t i = 2; i < 4; ++i) {
    if (!from[i].known() || !to[i].known())
      return op.Refuse("resizing by a size that is known at run time only");
    if (needs_two && to[i].value() < 2) return op.Refuse("resizing to one element");
  }
  return {};
}

// Scales, where they are given, times the sizes are the result's sizes.
Status CheckScales(const RelaxOp& op, const Shape& from, const Shape& to) {
  if (op.has(3)) return {};
  const Tensor* scales = op.has(2) ? op.node.operand(2)->tensor() : nullptr;
  if (scales == nullptr) return op.Refuse("scales that are known at run time only");
  const std::vector<std::int64_t> axes = op.Ints("axes");
  for (std::int64_t i = 0; i < scales->size(); ++i) {
    std::int64_t axis = axes.empty() ? i : axes[static_cast<std::size_t>(i)];
    if (axis < 0) axis += 4;
    const auto at = static_cast<std::size_t>(axis);
    if (at < 2) continue;
    const double wanted = scales->FloatAt(i) * static_cast<double>(from[at].value());
    if (wanted != static_cast<double>(to[at].value()))
      return op.Refuse("a scale that does not give a whole size");
  }
  return {};
}

// Whether R.image.resize2d samples as ONNX does.
Status CheckImage(const RelaxOp& op) {
  const std::string coordinates = op.String("coordinate_transformation_mode", "half_pixel");
  if (!IsKnownCoordinate(coordinates)) return op.Refuse("coordinates of mode " + coordinates);
  if (op.dtype() != DType::kF32) return op.Refuse("resizing of other element types than f32");
  if (op.Int("antialias") != 0) return op.Refuse("antialiasing");
  if (op.String("keep_aspect_ratio_policy", "stretch") != "stretch")
    return op.Refuse("a policy on the aspect ratio");
  const bool nearest = op.String("mode", "nearest") == "nearest";
  const std::string rounding = op.String("nearest_mode", "round_prefer_floor");
  if (nearest && (coordinates != "asymmetric" || rounding != "floor"))
    return op.Refuse("another nearest element than the one in front");
  DRAGOMAN_ASSIGN(Shape from, op.shape(0));
  DRAGOMAN_ASSIGN(Shape to, op.result_shape());
  const bool needs_two = coordinates == "align_corners" || coordinates == "pytorch_half_pixel";
  DRAGOMAN_TRY(CheckSizes(op, from, to, needs_two));
  return CheckScales(op, from, to);
}

Expressions EmitResize(RelaxOp& op) {
  if (!CheckImage(op).ok()) return ResizeByAxis(op);
  DRAGOMAN_ASSIGN(Shape to, op.result_shape());
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue({to[2], to[3]}));
  const std::string mode = op.String("mode", "nearest");
  const bool nearest = mode == "nearest";
  return One(
      fmt::format("R.image.resize2d({}, {}, layout=\"NCHW\", method=\"{}\", "
                  "coordinate_transformation_mode=\"{}\", rounding_method=\"{}\", cubic_alpha={}, "
                  "cubic_exclude={})",
                  op.arg(0), sizes, nearest ? "nearest_neighbor" : mode,
                  op.String("coordinate_transformation_mode", "half_pixel"), nearest ? "floor" : "",
                  PythonFloat(op.Float("cubic_coeff_a"), false), op.Int("exclude_outside")));
}

}  // namespace

std::span<const Row> ResizeRows() {
  static constexpr Row kRows[] = {
      {"Resize", EmitResize},
  };
  return kRows;
}

}  // namespace dragoman::relax

// SPDX-License-Identifier: Apache-2.0
// Images on other grids.
#include "exporters/pt2/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/rewrite/resize_weights.h"
#include "exporters/pt2/ops/resize.h"
#include "exporters/pt2/ops/window.h"

namespace dragoman::pt2 {
namespace {

// Whether an axis of equal sizes stays as it is.
bool MayStay(const AtenOp& op) {
  return op.String("coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize" &&
         op.String("keep_aspect_ratio_policy", "stretch") == "stretch";
}

// The axes that may change.
std::vector<ResizedAxis> ChangedAxesOf(const AtenOp& op) {
  std::vector<ResizedAxis> axes = ResizedAxesOf(op.node, op.arg(0).shape, op.result().shape);
  if (!MayStay(op)) return axes;
  const dragoman::Tensor* scales = op.Known(2);
  std::erase_if(axes, [&](const ResizedAxis& axis) {
    return op.has(3) ? Equal(axis.from, axis.to) == Truth::kYes
                     : scales != nullptr && scales->FloatAt(axis.entry) == 1;
  });
  return axes;
}

Emitted ResizeByAxis(const AtenOp& op, const std::vector<ResizedAxis>& axes) {
  const bool copies = op.String("mode", "nearest") == "nearest";
  if (!copies && !IsFloating(op.dtype())) return op.Refuse("interpolated integers");
  const DType compute = copies || op.dtype() == DType::kF64 ? op.dtype() : DType::kF32;
  Term x = op.Cast(op.arg(0), compute);
  for (const ResizedAxis& axis : axes) {
    if (TakesTooManyWeights(axis, copies)) return op.Refuse("a resize that takes too many weights");
    Shape shape = x.shape;
    shape[static_cast<std::size_t>(axis.axis)] = axis.to;
    if (copies) {
      DRAGOMAN_ASSIGN(const Ints places, ResizePlaces(op.node, axis));
      x = op.Call("aten.index_select.default",
                  {{"self", x}, {"dim", axis.axis}, {"index", op.Constant(places)}},
                  {x.dtype, std::move(shape)});
      continue;
    }
    // Times x with this axis last.
    DRAGOMAN_ASSIGN(const dragoman::Tensor weights, ResizeWeights(op.node, axis, compute));
    const std::int64_t last = x.rank() - 1;
    const bool is_last = axis.axis == last;
    const Term rows = is_last ? x : op.SwapAxes(x, axis.axis, last);
    Shape result = rows.shape;
    result.back() = axis.to;
    const Term y =
        op.Call("aten.linear.default", {{"input", rows}, {"weight", op.Constant(weights)}},
                {x.dtype, std::move(result)});
    x = is_last ? y : op.SwapAxes(y, axis.axis, last);
  }
  return One(op.Cast(x, op.dtype()));
}

// Whether places and weights along all axes can be computed now.
bool AreKnown(const AtenOp& op, const std::vector<ResizedAxis>& axes) {
  return MayStay(op) && (op.has(3) || op.Known(2) != nullptr) &&
         std::ranges::all_of(
             axes, [](const ResizedAxis& axis) { return axis.from.known() && axis.to.known(); });
}

// Whether the factor of `axis` is that of its sizes, which torch computes with.
bool HasFactorOfSizes(const AtenOp& op, const ResizedAxis& axis) {
  if (op.has(3)) return true;
  const dragoman::Tensor* scales = op.Known(2);
  if (scales == nullptr) return false;
  const double scale = scales->FloatAt(axis.entry);
  if (scale == std::floor(scale)) return true;
  return axis.from.known() && axis.to.known() &&
         static_cast<double>(axis.from.value()) * scale == static_cast<double>(axis.to.value());
}

// The operator of torch that does the same: the axes after channels, in the ways that torch has.
struct Upsampling {
  std::string target;
  bool has_corners = false;
  bool aligns_corners = false;
};

std::optional<Upsampling> UpsamplingOf(const AtenOp& op, const std::vector<ResizedAxis>& axes) {
  const std::int64_t spatial = op.rank() - 2;
  if (spatial < 1 || spatial > 3 || axes.empty() || !IsFloating(op.dtype()) || !MayStay(op))
    return std::nullopt;
  for (const ResizedAxis& axis : axes) {
    if (axis.axis < 2 || !HasFactorOfSizes(op, axis)) return std::nullopt;
  }
  if (op.Int("antialias") != 0 || op.Int("exclude_outside") != 0) return std::nullopt;
  const std::string mode = op.String("mode", "nearest");
  const std::string coordinates = op.String("coordinate_transformation_mode", "half_pixel");
  const auto n = static_cast<std::size_t>(spatial);
  if (mode == "nearest") {
    const bool is_floor = op.String("nearest_mode", "round_prefer_floor") == "floor";
    const bool is_whole = std::ranges::all_of(axes, [&](const ResizedAxis& axis) {
      return axis.from.symbolic() || axis.to.symbolic() ||
             (axis.from.value() > 0 && axis.to.value() % axis.from.value() == 0);
    });
    if (coordinates != "asymmetric" || !is_floor || !is_whole) return std::nullopt;
    return Upsampling{OfAxes("aten.upsample_nearest{}d.vec", n)};
  }
  const bool aligns = coordinates == "align_corners";
  if (!aligns && coordinates != "half_pixel" && coordinates != "pytorch_half_pixel")
    return std::nullopt;
  // ONNX reads the first element for a single one.
  const auto is_single = [](const ResizedAxis& axis) { return axis.to == Dim(1); };
  if (coordinates == "pytorch_half_pixel" && std::ranges::any_of(axes, is_single))
    return std::nullopt;
  if (mode == "cubic") {
    const bool is_usual = op.Float("cubic_coeff_a") == -0.75;
    if (spatial != 2 || !is_usual) return std::nullopt;
    return Upsampling{"aten.upsample_bicubic2d.vec", true, aligns};
  }
  constexpr const char* kLinear[] = {"aten.upsample_linear1d.vec", "aten.upsample_bilinear2d.vec",
                                     "aten.upsample_trilinear3d.vec"};
  return Upsampling{kLinear[n - 1], true, aligns};
}

Emitted EmitResize(AtenOp& op) {
  const std::vector<ResizedAxis> axes = ChangedAxesOf(op);
  const std::optional<Upsampling> upsampling = UpsamplingOf(op, axes);
  if (!upsampling) return AreKnown(op, axes) ? ResizeByAxis(op, axes) : ResizeByFormula(op, axes);
  const TermType result = op.result();
  DRAGOMAN_ASSIGN(const Sizes sizes,
                  op.SizesOf(Shape(result.shape.begin() + 2, result.shape.end())));
  Arguments arguments = {{"input", op.arg(0)}, {"output_size", sizes}};
  if (upsampling->has_corners) arguments.push_back({"align_corners", upsampling->aligns_corners});
  arguments.push_back({"scale_factors", kNone});
  return One(op.Call(upsampling->target, arguments, result));
}

Emitted EmitGridSample(AtenOp& op) {
  const std::string mode = op.String("mode", "linear");
  const std::string padding = op.String("padding_mode", "zeros");
  if (op.rank() != 4 && op.rank() != 5) return op.Refuse("a grid of other than two or three axes");
  if (mode == "cubic" && op.rank() != 4) return op.Refuse("cubic samples of volumes");
  const int interpolation = mode == "nearest" ? 1 : mode == "cubic" ? 2 : 0;
  const int border = padding == "border" ? 1 : padding == "reflection" ? 2 : 0;
  const Term x = op.arg(0);
  return One(op.Call("aten.grid_sampler.default",
                     {{"input", x},
                      {"grid", op.Cast(op.arg(1), x.dtype)},
                      {"interpolation_mode", interpolation},
                      {"padding_mode", border},
                      {"align_corners", op.Int("align_corners") != 0}},
                     op.result()));
}

}  // namespace

std::span<const Row> ImageRows() {
  static constexpr Row kRows[] = {
      {"GridSample", EmitGridSample},
      {"Resize", EmitResize},
  };
  return kRows;
}

}  // namespace dragoman::pt2

// SPDX-License-Identifier: Apache-2.0
// Axis by axis: a coordinate in the operand for each element of the result, elements around it, and
// their weights. Coordinates are of float64, and rounded to float32 where ONNX has them so.
#include "exporters/pt2/ops/resize.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/ir/wide_float.h"

namespace dragoman::pt2 {
namespace {

constexpr DType kWide = DType::kF64;

Term Plus(const AtenOp& op, const Term& x, double number) {
  return op.WithNumber("aten.add.Scalar", x, number);
}

Term Times(const AtenOp& op, const Term& x, double number) {
  return op.WithNumber("aten.mul.Scalar", x, number);
}

Term Rounded(const AtenOp& op, const Term& x) { return op.Cast(op.Cast(x, DType::kF32), kWide); }

// Element `i` of operand `operand` as a number without axes.
Term NumberAt(const AtenOp& op, std::size_t operand, std::int64_t i) {
  return op.Cast(op.Select(op.arg(operand), 0, i), kWide);
}

Result<Term> SizeAsNumber(const AtenOp& op, const Dim& size) {
  if (size.known()) return op.Scalar(static_cast<double>(size.value()), kWide);
  DRAGOMAN_ASSIGN(const Sizes sizes, op.SizesOf({size}));
  return op.Call("aten.scalar_tensor.default", {{"s", sizes.front()}, Kw("dtype", kWide)},
                 {kWide, {}});
}

// One axis while it is resized. Numbers are tensors without axes.
struct Axis {
  std::int64_t axis = 0;
  Term from;   // its size
  Term to;     // that of the result
  Term scale;  // to / from, or as the node has it
  Term last;   // from - 1
  Term at;     // 0, 1, … along the result
};

// One scale for all axes that the node names, which keeps their ratio; none where each has its own.
Result<std::optional<Term>> CommonScale(const AtenOp& op, const std::vector<ResizedAxis>& axes) {
  const std::string policy = op.String("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || !op.has(3)) return std::optional<Term>();
  std::optional<Term> common;
  for (const ResizedAxis& axis : axes) {
    DRAGOMAN_ASSIGN(const Term from, SizeAsNumber(op, axis.from));
    const Term ratio = op.Binary("aten.div.Tensor", NumberAt(op, 3, axis.entry), from);
    const std::string_view target =
        policy == "not_larger" ? "aten.minimum.default" : "aten.maximum.default";
    common = common ? op.Binary(target, *common, ratio) : ratio;
  }
  return common;
}

Result<Axis> AxisOf(const AtenOp& op, const ResizedAxis& resized,
                    const std::optional<Term>& common) {
  Axis axis = {.axis = resized.axis};
  DRAGOMAN_ASSIGN(axis.from, SizeAsNumber(op, resized.from));
  DRAGOMAN_ASSIGN(axis.to, SizeAsNumber(op, resized.to));
  DRAGOMAN_ASSIGN(const Sizes count, op.SizesOf({resized.to}));
  axis.scale = common      ? *common
               : op.has(3) ? op.Binary("aten.div.Tensor", axis.to, axis.from)
                           : NumberAt(op, 2, resized.entry);
  axis.last = Plus(op, axis.from, -1);
  axis.at = op.Arange(count.front(), resized.to, kWide);
  return axis;
}

// What half_pixel_symmetric moves coordinates by: sizes are rounded, and ends stay equally far off.
std::optional<Term> CenterShift(const AtenOp& op, const Axis& axis) {
  const bool is_rounded =
      !op.has(3) || op.String("keep_aspect_ratio_policy", "stretch") != "stretch";
  if (!is_rounded) return std::nullopt;
  const Term exact = op.Binary("aten.mul.Tensor", axis.scale, axis.from);
  const Term over = Plus(op, op.Binary("aten.div.Tensor", axis.to, exact), -1);
  return Times(op, op.Binary("aten.mul.Tensor", axis.from, over), -0.5);
}

// The region from `begin` to `end`, parts of the axis.
Term CropCoordinate(const AtenOp& op, const ResizedAxis& resized, const Axis& axis,
                    std::int64_t regions) {
  const Term begin = NumberAt(op, 1, resized.entry);
  const Term end = NumberAt(op, 1, resized.entry + regions);
  if (resized.to == Dim(1)) {
    const Term middle = Times(op, op.Binary("aten.add.Tensor", begin, end), 0.5);
    return op.Binary("aten.add.Tensor", axis.at, op.Binary("aten.mul.Tensor", middle, axis.last));
  }
  const Term first = op.Binary("aten.mul.Tensor", begin, axis.last);
  const Term length =
      op.Binary("aten.mul.Tensor", op.Binary("aten.sub.Tensor", end, begin), axis.last);
  const Term steps = op.Binary("aten.mul.Tensor", axis.at, length);
  const Term moved = op.Binary("aten.div.Tensor", steps, Plus(op, axis.to, -1));
  return Rounded(op, op.Binary("aten.add.Tensor", moved, first));
}

Result<Term> CoordinateOf(const AtenOp& op, const ResizedAxis& resized, const Axis& axis,
                          std::int64_t regions) {
  const std::string mode = op.String("coordinate_transformation_mode", "half_pixel");
  if (mode == "tf_crop_and_resize") {
    if (!resized.to.known()) return op.Refuse("regions of a size known at run time only");
    return CropCoordinate(op, resized, axis, regions);
  }
  if (mode == "align_corners") {
    const Term steps = op.Clamp(Plus(op, axis.to, -1), 1, std::nullopt);
    return op.Binary("aten.div.Tensor", op.Binary("aten.mul.Tensor", axis.at, axis.last), steps);
  }
  if (mode == "tf_half_pixel_for_nn") return op.Refuse("tf_half_pixel_for_nn of unknown scales");
  if (mode == "asymmetric") return Rounded(op, op.Binary("aten.div.Tensor", axis.at, axis.scale));
  const Term middles = op.Binary("aten.div.Tensor", Plus(op, axis.at, 0.5), axis.scale);
  const Term half_pixel = Plus(op, Rounded(op, middles), -0.5);
  if (mode == "pytorch_half_pixel") {
    const Term is_longer = op.Cast(op.CompareNumber("aten.gt.Scalar", axis.to, 1), kWide);
    return op.Binary("aten.mul.Tensor", half_pixel, is_longer);
  }
  if (mode != "half_pixel_symmetric") return half_pixel;
  const std::optional<Term> shift = CenterShift(op, axis);
  return shift ? op.Binary("aten.add.Tensor", half_pixel, *shift) : half_pixel;
}

// Elements of `x` at `places` along the axis; places outside are those at the ends.
Term Taken(const AtenOp& op, const Axis& axis, const Term& x, const Term& places) {
  const Term low = op.Clamp(places, 0, std::nullopt);
  const Term inside = op.Binary("aten.minimum.default", low, axis.last);
  Shape shape = x.shape;
  shape[static_cast<std::size_t>(axis.axis)] = places.shape.front();
  return op.Call("aten.index_select.default",
                 {{"self", x}, {"dim", axis.axis}, {"index", op.Cast(inside, DType::kI64)}},
                 {x.dtype, std::move(shape)});
}

Term NearestPlaces(const AtenOp& op, const Term& coordinate) {
  const std::string mode = op.String("nearest_mode", "round_prefer_floor");
  if (mode == "floor") return op.Unary("aten.floor.default", coordinate);
  if (mode == "ceil") return op.Unary("aten.ceil.default", coordinate);
  if (mode == "round_prefer_ceil") return op.Unary("aten.floor.default", Plus(op, coordinate, 0.5));
  return op.Unary("aten.ceil.default", Plus(op, coordinate, -0.5));
}

// c3 d³ + c2 d² + c1 d + c0.
Term Cubic(const AtenOp& op, const Term& d, double c3, double c2, double c1, double c0) {
  Term sum = Plus(op, Times(op, d, c3), c2);
  sum = Plus(op, op.Binary("aten.mul.Tensor", sum, d), c1);
  return Plus(op, op.Binary("aten.mul.Tensor", sum, d), c0);
}

// The weight of an element at `distance`, which is less than 2 for cubic and than 1 for linear.
Term WeightAt(const AtenOp& op, const Term& distance, bool is_near) {
  if (op.String("mode", "nearest") == "linear")
    return Plus(op, op.Unary("aten.neg.default", distance), 1);
  const double a = op.Float("cubic_coeff_a");
  return is_near ? Cubic(op, distance, a + 2, -(a + 3), 0, 1)
                 : Cubic(op, distance, a, -5 * a, 8 * a, -4 * a);
}

// A number for each element along the axis, as what broadcasts to `x`.
Term AlongAxis(const AtenOp& op, const Axis& axis, Term numbers, const Term& x) {
  for (std::int64_t i = axis.axis + 1; i < x.rank(); ++i)
    numbers = op.Unsqueeze(numbers, numbers.rank());
  return numbers;
}

Term Interpolated(const AtenOp& op, const Axis& axis, const Term& x, const Term& coordinate) {
  const bool is_linear = op.String("mode", "nearest") == "linear";
  const bool excludes = op.Int("exclude_outside") != 0;
  const Term base = op.Unary("aten.floor.default", coordinate);
  std::optional<Term> sum;
  std::optional<Term> total;
  const auto add = [&](std::optional<Term>& to, const Term& term) {
    to = to ? op.Binary("aten.add.Tensor", *to, term) : term;
  };
  for (int k = is_linear ? 0 : -1; k <= (is_linear ? 1 : 2); ++k) {
    const Term places = Plus(op, base, k);
    const Term distance =
        op.Unary("aten.abs.default", op.Binary("aten.sub.Tensor", places, coordinate));
    Term weight = WeightAt(op, distance, k == 0 || k == 1);
    if (excludes) {
      const Term is_inside =
          op.Binary("aten.logical_and.default", op.CompareNumber("aten.ge.Scalar", places, 0),
                    op.Compare("aten.le.Tensor", places, axis.last));
      weight = op.Binary("aten.mul.Tensor", weight, op.Cast(is_inside, kWide));
      add(total, weight);
    }
    const Term factor = AlongAxis(op, axis, op.Cast(weight, x.dtype), x);
    add(sum, op.Binary("aten.mul.Tensor", Taken(op, axis, x, places), factor));
  }
  if (!total) return *sum;
  return op.Binary("aten.div.Tensor", *sum, AlongAxis(op, axis, op.Cast(*total, x.dtype), x));
}

// Whether the coordinate lies beyond the ends, as what broadcasts to `x`.
Term IsOutside(const AtenOp& op, const Axis& axis, const Term& coordinate, const Term& x) {
  const Term below = op.CompareNumber("aten.lt.Scalar", coordinate, 0);
  const Term above = op.Compare("aten.gt.Tensor", coordinate, axis.last);
  return AlongAxis(op, axis, op.Binary("aten.logical_or.default", below, above), x);
}

}  // namespace

Emitted ResizeByFormula(const AtenOp& op, const std::vector<ResizedAxis>& axes) {
  const bool copies = op.String("mode", "nearest") == "nearest";
  if (op.Int("antialias") != 0 && !copies)
    return op.Refuse("antialiasing by scales that are known at run time only");
  if (!copies && !IsFloating(op.dtype())) return op.Refuse("interpolated integers");
  DRAGOMAN_ASSIGN(const std::optional<Term> common, CommonScale(op, axes));
  const Ints named = op.IntList("axes");
  const std::int64_t regions = named.empty() ? op.rank() : std::ssize(named);
  const bool crops =
      op.String("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
  Term x = op.arg(0);
  if (!copies) x = op.Cast(x, WideFloat(op.dtype()));
  std::optional<Term> outside;
  for (const ResizedAxis& resized : axes) {
    DRAGOMAN_ASSIGN(const Axis axis, AxisOf(op, resized, common));
    DRAGOMAN_ASSIGN(const Term coordinate, CoordinateOf(op, resized, axis, regions));
    x = copies ? Taken(op, axis, x, NearestPlaces(op, coordinate))
               : Interpolated(op, axis, x, coordinate);
    if (!crops) continue;
    const Term is_out = IsOutside(op, axis, coordinate, x);
    outside = outside ? op.Binary("aten.logical_or.default", *outside, is_out) : is_out;
  }
  if (outside) x = op.Where(*outside, op.Scalar(op.Float("extrapolation_value"), x.dtype), x);
  return One(op.Cast(x, op.dtype()));
}

}  // namespace dragoman::pt2

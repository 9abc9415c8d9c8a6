// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/resize.h"

#include <cmath>
#include <string>
#include <string_view>

#include "core/ops/movement.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"

namespace dragoman {
namespace {

// floor(size * scale), where the size is known or the scale a whole number or the inverse of one.
Dim ScaledSize(const Dim& size, float scale) {
  if (size.known()) {
    rt::Shape scaled;
    const rt::Status status = rt::ResizeShape({}, {size.value()}, {&scale, 1}, {}, &scaled);
    return status.ok() ? Dim(scaled[0]) : Dim::Unknown();
  }
  if (scale >= 1 && scale == std::floor(scale) && scale < 1e9f)
    return size * Dim(static_cast<std::int64_t>(scale));
  const float inverse = 1 / scale;
  if (inverse >= 1 && inverse == std::floor(inverse) && inverse < 1e9f && 1 / inverse == scale)
    return FloorDiv(size, Dim(static_cast<std::int64_t>(inverse)));
  return Dim::Unknown();
}

// The new sizes of the named axes; unknown ones are not known.
Result<Elements> NewSizes(const InferContext& context, const rt::ResizeParams& params,
                          const Elements& named) {
  // Older exporters write an empty list for an absent operand.
  const bool by_sizes = context.has(3) && !(context.elements(3) && context.elements(3)->empty());
  if (by_sizes) {
    if (params.keep_aspect_ratio_policy != rt::AspectRatioPolicy::kStretch)
      return Elements(named.size());
    std::optional<Elements> sizes = ElementsOrUnknown(context, 3);
    if (!sizes) return Elements(named.size());
    if (sizes->size() != named.size()) return context.Fail("sizes does not hold one entry an axis");
    return std::move(*sizes);
  }
  const std::optional<std::vector<float>> scales = context.floats(2);
  if (!scales) return Elements(named.size());
  if (scales->size() != named.size()) return context.Fail("scales does not hold one entry an axis");
  Elements sizes;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (!((*scales)[i] > 0)) return context.Fail("a scale is not positive");
    sizes.push_back(ScaledSize(named[i], (*scales)[i]));
  }
  return sizes;
}

Status InferSymbolicResize(InferContext& context, const Shape& x) {
  const auto& params = context.params<rt::ResizeParams>();
  std::vector<std::size_t> axes;
  for (std::int64_t axis : params.axes) {
    DRAGOMAN_ASSIGN(int at, NormalizeAxis(context, axis, static_cast<int>(x.size())));
    axes.push_back(static_cast<std::size_t>(at));
  }
  for (std::size_t i = 0; params.axes.empty() && i < x.size(); ++i) axes.push_back(i);
  Elements named;
  for (std::size_t axis : axes) named.push_back(x[axis]);
  DRAGOMAN_ASSIGN(Elements sizes, NewSizes(context, params, named));
  Shape y = x;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    DRAGOMAN_ASSIGN(y[axes[i]], StatedSize(context, 0, sizes[i]));
  }
  context.SetShape(0, std::move(y));
  return {};
}

// roi holds the starts of all named axes, then their ends.
Status CheckRoi(const InferContext& context, const rt::ResizeParams& params, std::size_t rank) {
  if (params.coordinate_transformation_mode != rt::CoordinateTransformation::kTfCropAndResize)
    return {};
  if (!context.has(1)) return context.Fail("roi is missing");
  const std::size_t named =
      params.axes.empty() ? rank : static_cast<std::size_t>(params.axes.size());
  return CheckVector(context, 1, Dim(static_cast<std::int64_t>(2 * named)));
}

// Of scales and sizes, which are lists also where only run time knows their elements.
Status CheckIsList(const InferContext& context, std::size_t i, std::string_view name) {
  const Shape* shape = context.has(i) ? context.shape(i) : nullptr;
  if (shape == nullptr || shape->size() == 1) return {};
  return context.Fail(std::string(name) + " is not of rank 1");
}

Status InferResize(InferContext& context) {
  DRAGOMAN_TRY(CheckIsList(context, 2, "scales"));
  DRAGOMAN_TRY(CheckIsList(context, 3, "sizes"));
  const Shape* x = context.shape(0);
  if (x == nullptr) return {};
  const auto& params = context.params<rt::ResizeParams>();
  DRAGOMAN_TRY(CheckRoi(context, params, x->size()));
  const IntsOperand sizes(context, 3);
  const std::optional<std::vector<float>> scales = context.floats(2);
  const std::optional<rt::Shape> known = ToRuntimeShape(x);
  if (!known || !sizes.known() || (context.has(2) && !scales))
    return InferSymbolicResize(context, *x);
  rt::FloatSpan span;
  if (scales) span = {scales->data(), static_cast<std::int64_t>(scales->size())};
  rt::Shape y;
  DRAGOMAN_TRY(context.Check(rt::ResizeShape(params, *known, span, sizes.span(), &y)));
  context.SetShape(0, y);
  return {};
}

}  // namespace

std::vector<OpDef> ResizeOps() {
  return {Op("Resize", {7, 19}, "(X: T1, roi: T2?, scales: f32?#, sizes: i64?#) -> (Y: T1)",
             "T1: basic bf16; T2: f16 f32 f64")
              .Attributes<rt::ResizeParams>()
              .Infer(InferResize)
              .Sizes({.function = "ResizeShape",
                      .header = "runtime/params/resize.h",
                      .arguments = "p s0 f2 v3"})
              .Kernel({.header = "runtime/kernels/resize.h",
                       .types = "T1 T2=f32",
                       .fallible = true,
                       .scratch = true})};
}

}  // namespace dragoman

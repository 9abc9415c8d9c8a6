// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/params/resize.h"

#include <algorithm>

namespace dragoman::rt {
namespace {

int NamedAxes(const ResizeParams& p, int rank) { return p.axes.empty() ? rank : p.axes.size(); }

int NamedAxis(const ResizeParams& p, int rank, int i) {
  return p.axes.empty() ? i : WrapAxis(p.axes[i], rank);
}

// A size that double holds exactly, or close enough to count elements.
Status ToSize(double value, std::int64_t* size) {
  if (!(value >= 0 && value < 9e18))
    return Status::Error("a size is negative or overflows 64 bits");
  *size = static_cast<std::int64_t>(value);
  return Status();
}

Status ResolveScales(const ResizeParams& p, const Shape& x, FloatSpan scales,
                     ResizeGeometry* geometry) {
  for (int i = 0; i < scales.size; ++i) {
    const int axis = NamedAxis(p, x.size(), i);
    if (!(scales[i] > 0)) return Status::Error("a scale is not positive");
    geometry->scales[axis] = scales[i];
    const float size = std::floor(static_cast<float>(x[axis]) * scales[i]);
    DRAGOMAN_RT_TRY(ToSize(size, &geometry->sizes[axis]));
  }
  return Status();
}

// The one scale with which no axis gets larger, or smaller, than asked.
double CommonScale(const ResizeParams& p, const Shape& x, IntSpan sizes) {
  double common = 0;
  for (int i = 0; i < sizes.size; ++i) {
    const double scale =
        static_cast<double>(sizes[i]) / static_cast<double>(x[NamedAxis(p, x.size(), i)]);
    const bool smaller = p.keep_aspect_ratio_policy == AspectRatioPolicy::kNotLarger;
    if (i == 0 || (smaller ? scale < common : scale > common)) common = scale;
  }
  return common;
}

Status ResolveSizes(const ResizeParams& p, const Shape& x, IntSpan sizes,
                    ResizeGeometry* geometry) {
  for (int i = 0; i < sizes.size; ++i) {
    const std::int64_t input = x[NamedAxis(p, x.size(), i)];
    if (sizes[i] < 0) return Status::Error("a size is negative");
    if (input == 0 && sizes[i] > 0) return Status::Error("an empty axis cannot be enlarged");
  }
  const bool stretch = p.keep_aspect_ratio_policy == AspectRatioPolicy::kStretch;
  const double common = stretch ? 0 : CommonScale(p, x, sizes);
  for (int i = 0; i < sizes.size; ++i) {
    const int axis = NamedAxis(p, x.size(), i);
    const double input = static_cast<double>(x[axis]);
    if (x[axis] == 0) continue;
    geometry->scales[axis] = stretch ? static_cast<double>(sizes[i]) / input : common;
    geometry->sizes[axis] = sizes[i];
    if (!stretch) {
      DRAGOMAN_RT_TRY(ToSize(std::floor(common * input + 0.5), &geometry->sizes[axis]));
    }
  }
  return Status();
}

}  // namespace

Status ResolveResize(const ResizeParams& p, const Shape& x, FloatSpan scales, IntSpan sizes,
                     ResizeGeometry* geometry) {
  std::uint32_t mask = 0;
  DRAGOMAN_RT_TRY(ResolveAxes({p.axes.data(), p.axes.size()}, x.size(), &mask));
  geometry->sizes = x;
  std::fill_n(geometry->scales, kMaxRank, 1.0);
  if (x.empty()) return Status();
  if ((scales.size == 0) == (sizes.size == 0)) {
    return Status::Error("either scales or sizes must be given");
  }
  if (scales.size + sizes.size != NamedAxes(p, x.size())) {
    return Status::Error("scales or sizes do not hold one entry an axis");
  }
  DRAGOMAN_RT_TRY(scales.size > 0 ? ResolveScales(p, x, scales, geometry)
                                  : ResolveSizes(p, x, sizes, geometry));
  return CheckSizes(geometry->sizes);
}

Status ResizeShape(const ResizeParams& p, const Shape& x, FloatSpan scales, IntSpan sizes,
                   Shape* y) {
  ResizeGeometry geometry;
  DRAGOMAN_RT_TRY(ResolveResize(p, x, scales, sizes, &geometry));
  *y = geometry.sizes;
  return Status();
}

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MaxRoiPool: the largest pixels of the bins of regions (Girshick, Fast R-CNN, 2015).
#ifndef DRAGOMAN_RUNTIME_KERNELS_MAX_ROI_POOL_H_
#define DRAGOMAN_RUNTIME_KERNELS_MAX_ROI_POOL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/max_roi_pool.h"

namespace dragoman::rt {

namespace internal {

// The pixels of a region's bins along one axis. Corners are rounded, halves away from zero, and
// belong to the region, which is at least one pixel long; bins may share a pixel.
template <class C>
struct RoiBins {
  std::int64_t start = 0;
  C bin = 0;
  std::int64_t size;

  explicit RoiBins(std::int64_t along) : size(along) {}
  // False where a corner is not finite or lies further than 2^24 pixels out.
  bool Set(C low, C high, std::int64_t bins) {
    low = std::round(low);
    high = std::round(high);
    constexpr C kFarthest = C(1 << 24);
    if (!(std::fabs(low) <= kFarthest && std::fabs(high) <= kFarthest)) return false;
    start = static_cast<std::int64_t>(low);
    bin = std::max(high - low + 1, C(1)) / static_cast<C>(bins);
    return true;
  }
  std::int64_t Begin(std::int64_t at) const {
    return Clamp(static_cast<std::int64_t>(std::floor(static_cast<C>(at) * bin)));
  }
  std::int64_t End(std::int64_t at) const {
    return Clamp(static_cast<std::int64_t>(std::ceil(static_cast<C>(at + 1) * bin)));
  }

 private:
  std::int64_t Clamp(std::int64_t offset) const {
    return std::min(std::max<std::int64_t>(start + offset, 0), size);
  }
};

template <class T, class C>
T LargestOfBin(const T* plane, const RoiBins<C>& rows, const RoiBins<C>& columns, std::int64_t row,
               std::int64_t column) {
  const std::int64_t left = columns.Begin(column), right = columns.End(column);
  const std::int64_t top = rows.Begin(row), bottom = rows.End(row);
  if (top >= bottom || left >= right) return static_cast<T>(C(0));
  T most = plane[top * columns.size + left];
  for (std::int64_t i = top; i < bottom; ++i) {
    for (std::int64_t j = left; j < right; ++j) {
      const T value = plane[i * columns.size + j];
      if (static_cast<C>(value) > static_cast<C>(most)) most = value;
    }
  }
  return most;
}

}  // namespace internal

// A bin without pixels gives zero. Errors: an image that is none of X's, or a region that is not
// finite or lies too far out.
template <class T>
Status MaxRoiPool(const MaxRoiPoolParams& p, TensorView<const T> x, TensorView<const T> rois,
                  TensorView<T> y) {
  using C = Compute<T>;
  const std::int64_t channels = x.shape[1], height = x.shape[2], width = x.shape[3];
  T* to = y.data;
  for (std::int64_t r = 0; r < rois.shape[0]; ++r) {
    C region[5];
    for (int i = 0; i < 5; ++i) region[i] = static_cast<C>(rois[r * 5 + i]);
    if (!(region[0] >= 0 && region[0] < static_cast<C>(x.shape[0])))
      return Status::Error("a region's image is out of range");
    const auto scale = static_cast<C>(p.spatial_scale);
    internal::RoiBins<C> rows(height), columns(width);
    if (!columns.Set(region[1] * scale, region[3] * scale, y.shape[3]) ||
        !rows.Set(region[2] * scale, region[4] * scale, y.shape[2])) {
      return Status::Error("a region is not finite, or too far out");
    }
    const auto image = static_cast<std::int64_t>(region[0]);
    for (std::int64_t c = 0; c < channels; ++c) {
      const T* plane = x.data + (image * channels + c) * height * width;
      for (std::int64_t i = 0; i < y.shape[2] * y.shape[3]; ++i) {
        *to++ = internal::LargestOfBin<T, C>(plane, rows, columns, i / y.shape[3], i % y.shape[3]);
      }
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_MAX_ROI_POOL_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RoiAlign: pools regions of images to one size, sampling between the pixels (He et al., Mask
// R-CNN, 2017).
#ifndef DRAGOMAN_RUNTIME_KERNELS_ROI_ALIGN_H_
#define DRAGOMAN_RUNTIME_KERNELS_ROI_ALIGN_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/roi_align.h"

namespace dragoman::rt {

namespace internal {

// Where a region's bins and sample points lie along one axis.
template <class C>
struct RoiAxis {
  static constexpr std::int64_t kMost = 1 << 24;  // pixels, and points, of a bin
  C start, bin;
  std::int64_t samples;

  RoiAxis(const RoiAlignParams& p, C low, C high, std::int64_t bins) {
    const bool centers = p.coordinate_transformation_mode == RoiAlignCoordinates::kHalfPixel;
    const C offset = centers ? C(0.5) : C(0);
    start = low * static_cast<C>(p.spatial_scale) - offset;
    C length = high * static_cast<C>(p.spatial_scale) - offset - start;
    if (!centers) length = std::max(length, C(1));
    bin = length / static_cast<C>(bins);
    samples = p.sampling_ratio;
    if (samples == 0 && valid()) samples = static_cast<std::int64_t>(std::ceil(bin));
  }
  bool valid() const { return std::fabs(bin) <= C(kMost) && samples <= kMost; }
  C Point(std::int64_t at, std::int64_t sample) const {
    return start + static_cast<C>(at) * bin +
           (static_cast<C>(sample) + C(0.5)) * bin / static_cast<C>(samples);
  }
};

// The two neighbours of a point along one axis, and their weights.
template <class C>
struct RoiTaps {
  std::int64_t low = 0, high = 0;
  C low_weight = 0, high_weight = 0;
  bool counts = false;  // else the point lies more than one pixel outside

  RoiTaps() = default;
  RoiTaps(C at, std::int64_t size) {
    counts = size > 0 && at >= -1 && at <= static_cast<C>(size);
    if (!counts) return;
    at = std::max(at, C(0));
    low = std::min(static_cast<std::int64_t>(at), size - 1);
    high = std::min(low + 1, size - 1);
    high_weight = low == size - 1 ? C(0) : at - static_cast<C>(low);
    low_weight = C(1) - high_weight;
  }
};

// A point's four neighbours in a plane, and their weights.
template <class C>
struct RoiPoint {
  std::int64_t at[4] = {};
  C weights[4] = {};
  bool counts = false;

  RoiPoint() = default;
  RoiPoint(const RoiTaps<C>& v, const RoiTaps<C>& h, std::int64_t width)
      : at{v.low * width + h.low, v.low * width + h.high, v.high * width + h.low,
           v.high * width + h.high},
        weights{v.low_weight * h.low_weight, v.low_weight * h.high_weight,
                v.high_weight * h.low_weight, v.high_weight * h.high_weight},
        counts(v.counts && h.counts) {}
};

// What is known of the points of a bin.
template <class C>
struct RoiBin {
  C sum = 0, most = 0;
  bool first = true;

  template <class T>
  void Add(const RoiPoint<C>& point, const T* plane, bool is_max) {
    C terms[4] = {0, 0, 0, 0};
    if (point.counts) {
      for (int k = 0; k < 4; ++k) terms[k] = point.weights[k] * static_cast<C>(plane[point.at[k]]);
    }
    sum += terms[0] + terms[1] + terms[2] + terms[3];
    if (!is_max) return;
    const C largest = *std::max_element(terms, terms + 4);
    most = first ? largest : std::max(most, largest);
    first = false;
  }
};

// The bins of one region, and where they stand in y.
template <class C>
struct RoiRegion {
  const RoiAxis<C>&rows, &columns;
  std::int64_t height, width, channels;

  std::int64_t points() const {
    return rows.samples > 0 && columns.samples > 0 ? rows.samples * columns.samples : 0;
  }
  // `count` points of a bin from the one at `first` on.
  void Find(std::int64_t row, std::int64_t column, std::int64_t first, std::int64_t count,
            RoiPoint<C>* points) const {
    for (std::int64_t k = first; k < first + count; ++k) {
      const RoiTaps<C> v(rows.Point(row, k / columns.samples), height);
      const RoiTaps<C> h(columns.Point(column, k % columns.samples), width);
      *points++ = RoiPoint<C>(v, h, width);
    }
  }
};

// One bin of all channels, whose results are `step` apart. Its points are found once for all,
// unless there are too many.
template <class T, class C>
void PoolBin(const RoiRegion<C>& region, std::int64_t row, std::int64_t column, bool is_max,
             const T* plane, std::int64_t step, T* y) {
  constexpr std::int64_t kMost = 128;
  RoiPoint<C> points[kMost];
  const std::int64_t all = region.points();
  for (std::int64_t c = 0; c < region.channels; ++c, plane += region.height * region.width) {
    RoiBin<C> bin;
    for (std::int64_t first = 0; first < all; first += kMost) {
      const std::int64_t count = std::min(kMost, all - first);
      if (c == 0 || all > kMost) region.Find(row, column, first, count, points);
      for (std::int64_t k = 0; k < count; ++k) bin.Add(points[k], plane, is_max);
    }
    const C mean = all > 0 ? bin.sum / static_cast<C>(all) : C(0);
    y[c * step] = static_cast<T>(is_max ? bin.most : mean);
  }
}

}  // namespace internal

// A region is (x1, y1, x2, y2). Points more than one pixel outside count as zero. kMax is the
// largest of the weighted neighbours, as ONNX defines it. Errors: an image that is none of X's, or
// a region that is not finite or has more than 2^24 pixels or points a bin.
template <class T>
Status RoiAlign(const RoiAlignParams& p, TensorView<const T> x, TensorView<const T> rois,
                TensorView<const std::int64_t> batch_indices, TensorView<T> y) {
  using C = Compute<T>;
  const std::int64_t channels = x.shape[1], height = x.shape[2], width = x.shape[3];
  const bool is_max = p.mode == RoiAlignMode::kMax;
  const std::int64_t bins = y.shape[2] * y.shape[3];
  for (std::int64_t r = 0; r < rois.shape[0]; ++r) {
    const std::int64_t image = batch_indices[r];
    if (image < 0 || image >= x.shape[0]) return Status::Error("a region's image is out of range");
    C box[4];
    for (int i = 0; i < 4; ++i) box[i] = static_cast<C>(rois[r * 4 + i]);
    const internal::RoiAxis<C> rows(p, box[1], box[3], y.shape[2]);
    const internal::RoiAxis<C> columns(p, box[0], box[2], y.shape[3]);
    if (!rows.valid() || !columns.valid()) {
      return Status::Error("a region is not finite, or its bins have too many pixels or points");
    }
    const internal::RoiRegion<C> region = {rows, columns, height, width, channels};
    const T* first = x.data + image * channels * height * width;
    T* to = y.data + r * channels * bins;
    for (std::int64_t bin = 0; bin < bins; ++bin)
      internal::PoolBin(region, bin / y.shape[3], bin % y.shape[3], is_max, first, bins, to + bin);
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_ROI_ALIGN_H_

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
  bool valid() const { return std::fabs(bin) <= C(1 << 24); }
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

// The taps of all points along one axis of a region: kept for all channels, unless there are too
// many.
template <class C>
class RoiPoints {
 public:
  RoiPoints(const RoiAxis<C>& axis, std::int64_t bins, std::int64_t size)
      : axis_(axis), size_(size), is_kept_(axis.samples <= kMost / bins) {
    for (std::int64_t i = 0; is_kept_ && i < bins * axis.samples; ++i)
      kept_[i] = Find(i / axis.samples, i % axis.samples);
  }
  std::int64_t samples() const { return axis_.samples; }
  RoiTaps<C> At(std::int64_t bin, std::int64_t sample) const {
    return is_kept_ ? kept_[bin * axis_.samples + sample] : Find(bin, sample);
  }

 private:
  static constexpr std::int64_t kMost = 128;

  RoiTaps<C> Find(std::int64_t bin, std::int64_t sample) const {
    return RoiTaps<C>(axis_.Point(bin, sample), size_);
  }

  const RoiAxis<C>& axis_;
  std::int64_t size_;
  bool is_kept_;
  RoiTaps<C> kept_[kMost];
};

template <class T, class C>
C PoolBin(const RoiAlignParams& p, const T* plane, std::int64_t width, const RoiPoints<C>& rows,
          const RoiPoints<C>& columns, std::int64_t row, std::int64_t column) {
  C sum = 0, most = 0;
  bool first = true;
  for (std::int64_t i = 0; i < rows.samples(); ++i) {
    const RoiTaps<C> v = rows.At(row, i);
    for (std::int64_t j = 0; j < columns.samples(); ++j) {
      const RoiTaps<C> h = columns.At(column, j);
      C terms[4] = {0, 0, 0, 0};
      if (v.counts && h.counts) {
        terms[0] = v.low_weight * h.low_weight * static_cast<C>(plane[v.low * width + h.low]);
        terms[1] = v.low_weight * h.high_weight * static_cast<C>(plane[v.low * width + h.high]);
        terms[2] = v.high_weight * h.low_weight * static_cast<C>(plane[v.high * width + h.low]);
        terms[3] = v.high_weight * h.high_weight * static_cast<C>(plane[v.high * width + h.high]);
      }
      sum += terms[0] + terms[1] + terms[2] + terms[3];
      if (p.mode != RoiAlignMode::kMax) continue;
      const C largest = *std::max_element(terms, terms + 4);
      most = first ? largest : std::max(most, largest);
      first = false;
    }
  }
  if (p.mode == RoiAlignMode::kMax) return most;
  const std::int64_t samples = rows.samples() * columns.samples();
  return samples > 0 ? sum / static_cast<C>(samples) : C(0);
}

}  // namespace internal

// A region is (x1, y1, x2, y2). Points more than one pixel outside count as zero. kMax is the
// largest of the weighted neighbours, as ONNX defines it. Errors: an image that is none of X's, or
// a region that is not finite or larger than 2^24 pixels a bin.
template <class T>
Status RoiAlign(const RoiAlignParams& p, TensorView<const T> x, TensorView<const T> rois,
                TensorView<const std::int64_t> batch_indices, TensorView<T> y) {
  using C = Compute<T>;
  const std::int64_t channels = x.shape[1], height = x.shape[2], width = x.shape[3];
  T* to = y.data;
  for (std::int64_t r = 0; r < rois.shape[0]; ++r) {
    const std::int64_t image = batch_indices[r];
    if (image < 0 || image >= x.shape[0]) return Status::Error("a region's image is out of range");
    C box[4];
    for (int i = 0; i < 4; ++i) box[i] = static_cast<C>(rois[r * 4 + i]);
    const internal::RoiAxis<C> rows(p, box[1], box[3], y.shape[2]);
    const internal::RoiAxis<C> columns(p, box[0], box[2], y.shape[3]);
    if (!rows.valid() || !columns.valid()) {
      return Status::Error("a region is not finite, or too large");
    }
    const internal::RoiPoints<C> down(rows, y.shape[2], height), across(columns, y.shape[3], width);
    for (std::int64_t c = 0; c < channels; ++c) {
      const T* plane = x.data + (image * channels + c) * height * width;
      for (std::int64_t i = 0; i < y.shape[2]; ++i) {
        for (std::int64_t j = 0; j < y.shape[3]; ++j)
          *to++ = static_cast<T>(internal::PoolBin<T, C>(p, plane, width, down, across, i, j));
      }
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_ROI_ALIGN_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GridSample: samples each image at the points that a grid gives.
#ifndef DRAGOMAN_RUNTIME_KERNELS_GRID_SAMPLE_H_
#define DRAGOMAN_RUNTIME_KERNELS_GRID_SAMPLE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "runtime/kernels/interpolation.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/cubic_weight.h"
#include "runtime/params/grid_sample.h"

namespace dragoman::rt {

namespace internal {

// One spatial axis of GridSample.
struct GridAxis {
  const GridSampleParams* p;
  std::int64_t size;

  double low() const { return p->align_corners ? 0.0 : -0.5; }
  double high() const { return static_cast<double>(size) - (p->align_corners ? 1.0 : 0.5); }

  // Points beyond 10^15 elements and infinities count as that far away, NaN as far in front.
  double Coordinate(double point) const {
    const double n = static_cast<double>(size);
    double at = p->align_corners ? (point + 1) / 2 * (n - 1) : ((point + 1) * n - 1) / 2;
    at = at >= -1e15 ? std::min(at, 1e15) : -1e15;
    if (p->mode == GridSampleMode::kNearest) at = std::nearbyint(at);
    if (p->mode == GridSampleMode::kCubic || (at >= low() && at <= high())) return at;
    if (p->padding_mode == GridSamplePadding::kBorder) return std::clamp(at, 0.0, n - 1);
    return p->padding_mode == GridSamplePadding::kReflection ? Reflect(at) : at;
  }

  double Reflect(double at) const {
    const double range = high() - low();
    if (range == 0) return 0;
    const double bounced = std::fmod(std::fabs(at - low()), 2 * range);
    return low() + std::min(bounced, 2 * range - bounced);
  }

  // The element that shows at a whole coordinate, -1 for zero.
  std::int64_t Index(double at) const {
    if (at < 0 || at > static_cast<double>(size - 1)) {
      if (p->padding_mode == GridSamplePadding::kZeros) return -1;
      if (p->padding_mode == GridSamplePadding::kReflection) at = Reflect(at);
      at = std::clamp(at, 0.0, static_cast<double>(size - 1));
    }
    return static_cast<std::int64_t>(at);
  }
};

// The taps of one point along each axis.
struct AxisTaps {
  std::int64_t indices[4];
  double weights[4];

  void Fill(const GridAxis& axis, int width, double at) {
    const double base = std::floor(at), t = at - base;
    const bool cubic = width == 4;
    for (int k = 0; k < width; ++k) {
      const int place = cubic ? k - 1 : k;
      indices[k] = axis.Index((width == 1 ? at : base) + place);
      weights[k] = cubic ? CubicWeight(t - place, -0.75) : width == 1 ? 1.0 : k == 0 ? 1 - t : t;
    }
  }
};

// The taps of some points, one point after the other: offsets into a plane, and weights.
struct GridTaps {
  static constexpr int kMost = 1 << 2 * (kMaxRank - 2);

  std::int64_t offsets[kMost];
  double weights[kMost];

  // Combines the first `count` taps from `first` on with the `width` taps of a further axis. From
  // the end, since the list grows in place.
  void Multiply(const AxisTaps& axis, int width, std::int64_t stride, int first, int count) {
    for (int i = count - 1; i >= 0; --i) {
      const std::int64_t offset = offsets[first + i];
      const double weight = weights[first + i];
      for (int k = width - 1; k >= 0; --k) {
        const int to = first + i * width + k;
        offsets[to] = offset + std::max<std::int64_t>(axis.indices[k], 0) * stride;
        weights[to] = axis.indices[k] < 0 ? 0 : weight * axis.weights[k];
      }
    }
  }

  // What shows at `points` points of `count` taps each. A tap without weight may lie on a NaN.
  template <class T>
  void Sample(const T* plane, std::int64_t points, int count, T* y) const {
    const std::int64_t* offset = offsets;
    const double* weight = weights;
    for (std::int64_t i = 0; i < points; ++i) {
      Interpolated<T> sum = 0;
      for (int k = 0; k < count; ++k, ++offset, ++weight) {
        if (*weight != 0) sum += ToInterpolated(plane[*offset]) * *weight;
      }
      y[i] = FromInterpolated<T>(sum);
    }
  }
};

// The taps of one point, from `first` on; their number.
template <class T>
int FillTaps(const GridSampleParams& p, const T* point, const Shape& sizes, const Shape& strides,
             int first, GridTaps* taps) {
  const int width = p.mode == GridSampleMode::kNearest  ? 1
                    : p.mode == GridSampleMode::kLinear ? 2
                                                        : 4;
  taps->offsets[first] = 0;
  taps->weights[first] = 1;
  int count = 1;
  for (int i = 0; i < sizes.size(); ++i, count *= width) {
    const GridAxis axis{&p, sizes[i]};
    AxisTaps along;
    along.Fill(axis, width, axis.Coordinate(static_cast<double>(point[sizes.size() - 1 - i])));
    taps->Multiply(along, width, strides[i], first, count);
  }
  return count;
}

}  // namespace internal

// Any number of spatial axes; the last entry of a grid point is the first spatial axis. Outside the
// image, kBorder and kReflection first move the point, unless it is kCubic, then each neighbour, as
// ONNX Runtime and PyTorch do. Computes in double. T1 is a real element type, not a string.
template <class T1, class T2>
void GridSample(const GridSampleParams& p, TensorView<const T1> x, TensorView<const T2> grid,
                TensorView<T1> y) {
  const int axes = x.rank() - 2;
  Shape sizes;
  for (int i = 0; i < axes; ++i) sizes.push_back(x.shape[2 + i]);
  const Shape strides = Strides(sizes);
  const std::int64_t plane = NumElements(sizes), channels = x.shape[1];
  const std::int64_t points = ProductOfSizes(grid.shape, 1, grid.rank() - 1);
  if (plane == 0) {
    std::fill_n(y.data, y.size(), static_cast<T1>(0));
    return;
  }
  internal::GridTaps taps;
  for (std::int64_t n = 0; n < x.shape[0]; ++n) {
    for (std::int64_t first = 0; first < points;) {
      // As many points as there is room for.
      int count = 0, used = 0;
      std::int64_t end = first;
      for (; end < points && used + count <= internal::GridTaps::kMost; ++end, used += count)
        count = internal::FillTaps(p, grid.data + (n * points + end) * axes, sizes, strides, used,
                                   &taps);
      for (std::int64_t c = n * channels; c < (n + 1) * channels; ++c)
        taps.Sample(x.data + c * plane, end - first, count, y.data + c * points + first);
      first = end;
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_GRID_SAMPLE_H_

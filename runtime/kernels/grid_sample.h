// GridSample: samples each image at the points that a grid gives.
#ifndef DRAGOMAN_RUNTIME_KERNELS_GRID_SAMPLE_H_
#define DRAGOMAN_RUNTIME_KERNELS_GRID_SAMPLE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "runtime/kernels/interpolation.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/grid_sample.h"

namespace dragoman::rt {

namespace internal {

// One spatial axis of GridSample.
struct GridAxis {
  const GridSampleParams* p;
  std::int64_t size;

  double low() const { return p->align_corners ? 0.0 : -0.5; }
  double high() const { return static_cast<double>(size) - (p->align_corners ? 1.0 : 0.5); }

  // Points beyond 10^15 elements, infinities and NaN count as far in front.
  double Coordinate(double point) const {
    const double n = static_cast<double>(size);
    double at = p->align_corners ? (point + 1) / 2 * (n - 1) : ((point + 1) * n - 1) / 2;
    if (!(std::fabs(at) < 1e15)) at = -1e15;
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

// The taps of one point, as offsets into a plane with their weights, are walked axis by axis.
struct GridTaps {
  std::int64_t indices[kMaxRank][4];
  double weights[kMaxRank][4];
  int width;

  void Fill(const GridAxis& axis, int i, double at) {
    const double base = std::floor(at), t = at - base;
    const bool cubic = width == 4;
    for (int k = 0; k < width; ++k) {
      const int place = cubic ? k - 1 : k;
      indices[i][k] = axis.Index((width == 1 ? at : base) + place);
      weights[i][k] = cubic ? CubicWeight(t - place, -0.75) : width == 1 ? 1.0 : k == 0 ? 1 - t : t;
    }
  }
};

template <class T>
T SampleGrid(const T* plane, const GridTaps& taps, const Shape& sizes, const Shape& strides) {
  Shape tap = Shape::Filled(sizes.size(), 0);
  Interpolated<T> sum = 0;
  for (int axis = 0; axis >= 0;) {
    std::int64_t offset = 0;
    double weight = 1;
    for (int i = 0; i < sizes.size(); ++i) {
      const std::int64_t index = taps.indices[i][tap[i]];
      weight *= index < 0 ? 0 : taps.weights[i][tap[i]];
      offset += index * strides[i];
    }
    if (weight != 0) sum += ToInterpolated(plane[offset]) * weight;
    for (axis = sizes.size() - 1; axis >= 0; --axis) {
      if (++tap[axis] < taps.width) break;
      tap[axis] = 0;
    }
  }
  return FromInterpolated<T>(sum);
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
  internal::GridTaps taps;
  taps.width = p.mode == GridSampleMode::kNearest ? 1 : (p.mode == GridSampleMode::kLinear ? 2 : 4);
  if (plane == 0) {
    std::fill_n(y.data, y.size(), static_cast<T1>(0));
    return;
  }
  for (std::int64_t i = 0; i < x.shape[0] * points; ++i) {
    const std::int64_t n = i / points, point = i % points;
    for (int a = 0; a < axes; ++a) {
      const internal::GridAxis axis{&p, sizes[a]};
      taps.Fill(axis, a, axis.Coordinate(static_cast<double>(grid[i * axes + axes - 1 - a])));
    }
    for (std::int64_t c = n * channels; c < (n + 1) * channels; ++c) {
      y[c * points + point] = internal::SampleGrid(x.data + c * plane, taps, sizes, strides);
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_GRID_SAMPLE_H_

// Resize: samples a tensor on another grid, axis by axis.
#ifndef DRAGOMAN_RUNTIME_KERNELS_RESIZE_H_
#define DRAGOMAN_RUNTIME_KERNELS_RESIZE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "runtime/kernels/interpolation.h"
#include "runtime/kernels/position.h"
#include "runtime/kernels/resize_taps.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/resize.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

namespace internal {

// The weighted sum at one position of the result, over the axes that have several taps.
template <class T>
Interpolated<T> SumOfTaps(const T* from, const ResizeTaps* taps, const Shape& strides,
                          const Position& position) {
  const int rank = strides.size();
  Shape tap = Shape::Filled(rank, 0);
  Interpolated<T> sum = 0;
  for (int axis = 0; axis >= 0;) {
    std::int64_t offset = 0;
    double weight = 1;
    for (int i = 0; i < rank; ++i) {
      offset += taps[i].index(position[i])[tap[i]] * strides[i];
      weight *= taps[i].weight(position[i])[tap[i]];
    }
    if (weight != 0) sum += ToInterpolated(from[offset]) * weight;
    for (axis = rank - 1; axis >= 0; --axis) {
      if (++tap[axis] < taps[axis].width()) break;
      tap[axis] = 0;
    }
  }
  return sum;
}

template <class T>
T ExtrapolationValue(float value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return T();
  } else {
    return FromInterpolated<T>(value);
  }
}

template <class T>
T Resized(bool nearest, const T* from, const ResizeTaps* taps, const Shape& strides,
          const Position& position) {
  if constexpr (!std::is_same_v<T, std::string>) {
    if (!nearest) return FromInterpolated<T>(SumOfTaps(from, taps, strides, position));
  }
  std::int64_t offset = 0;
  for (int i = 0; i < strides.size(); ++i) offset += taps[i].index(position[i])[0] * strides[i];
  return from[offset];
}

}  // namespace internal

template <class T, class Troi>
std::int64_t ResizeScratchBytes(const ResizeParams& p, TensorView<const T> x,
                                TensorView<const Troi> /*roi*/, TensorView<const float> scales,
                                TensorView<const std::int64_t> sizes, TensorView<T> /*y*/) {
  ResizeGeometry geometry;
  const Status status = ResolveResize(p, x.shape, internal::Entries<FloatSpan>(scales),
                                      internal::Entries<IntSpan>(sizes), &geometry);
  return status.ok() ? internal::ResizeTaps::TotalBytes(p, x.shape, geometry) : 0;
}

// T is the real element type; kLinear and kCubic compute in double, integers truncate and saturate.
// Strings take kNearest only, and extrapolate to the empty string. roi (starts, then ends) is read
// by kTfCropAndResize. Fails when the operands do not give the sizes of y, or roi is too short.
template <class T, class Troi>
Status Resize(const ResizeParams& p, TensorView<const T> x, TensorView<const Troi> roi,
              TensorView<const float> scales, TensorView<const std::int64_t> sizes, TensorView<T> y,
              void* scratch) {
  if (std::is_same_v<T, std::string> && p.mode != ResizeMode::kNearest) {
    return Status::Error("strings cannot be interpolated");
  }
  ResizeGeometry geometry;
  DRAGOMAN_RT_TRY(ResolveResize(p, x.shape, internal::Entries<FloatSpan>(scales),
                                internal::Entries<IntSpan>(sizes), &geometry));
  if (geometry.sizes != y.shape) return Status::Error("the result of resizing has other sizes");
  double starts[kMaxRank], ends[kMaxRank];
  DRAGOMAN_RT_TRY(internal::ResolveRoi(p, x.rank(), roi, starts, ends));
  internal::ResizeTaps taps[kMaxRank];
  void* free = scratch;
  for (int i = 0; i < x.rank(); ++i) {
    taps[i] = internal::ResizeTaps(p, x.shape[i], geometry.sizes[i], geometry.scales[i], free);
    free = taps[i].Fill(starts[i], ends[i]);
  }
  const T outside = internal::ExtrapolationValue<T>(p.extrapolation_value);
  const Shape strides = Strides(x.shape);
  Position position(y.shape, y.shape);
  const std::int64_t count = y.size();
  for (std::int64_t o = 0; o < count; ++o, position.Next()) {
    bool inside = true;
    for (int i = 0; i < x.rank(); ++i) inside = inside && taps[i].index(position[i])[0] >= 0;
    y[o] = inside
               ? internal::Resized(p.mode == ResizeMode::kNearest, x.data, taps, strides, position)
               : outside;
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_RESIZE_H_

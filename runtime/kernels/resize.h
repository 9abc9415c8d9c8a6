// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

// Calls f(offset, weight) for the rows along the last axis of x that meet in the row of the result
// at `position` on the axes before it.
template <class F>
void ForEachRow(const ResizeTaps* taps, const Shape& strides, const Position& position, F f) {
  const int outer = strides.size() - 1;
  Shape tap = Shape::Filled(outer, 0);
  for (int axis = 0; axis >= 0;) {
    std::int64_t offset = 0;
    double weight = 1;
    for (int i = 0; i < outer; ++i) {
      offset += taps[i].index(position[i])[tap[i]] * strides[i];
      weight *= taps[i].weight(position[i])[tap[i]];
    }
    if (weight != 0) f(offset, weight);
    for (axis = outer - 1; axis >= 0; --axis) {
      if (++tap[axis] < taps[axis].width()) break;
      tap[axis] = 0;
    }
  }
}

// AddRow where positions have two taps, whose indices and weights follow each other.
template <class T>
void AddRowOfTwo(const T* row, double weight, const std::int64_t* index, const double* weights,
                 std::int64_t count, Interpolated<T>* sums) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Interpolated<T> a = ToInterpolated(row[index[2 * i]]) * weights[2 * i];
    const Interpolated<T> b = ToInterpolated(row[index[2 * i + 1]]) * weights[2 * i + 1];
    const Interpolated<T> none = 0;
    sums[i] += ((weights[2 * i] != 0 ? a : none) + (weights[2 * i + 1] != 0 ? b : none)) * weight;
  }
}

// Adds `weight` times the elements of a row, interpolated at `count` positions from `first`. Taps
// of weight 0 are not read: they may be infinite.
template <class T>
void AddRow(const T* row, double weight, const ResizeTaps& taps, std::int64_t first,
            std::int64_t count, Interpolated<T>* sums) {
  const std::int64_t width = taps.width();
  if (width == 2)
    return AddRowOfTwo(row, weight, taps.index(first), taps.weight(first), count, sums);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t* index = taps.index(first + i);
    const double* weights = taps.weight(first + i);
    Interpolated<T> sum = 0;
    for (std::int64_t k = 0; k < width; ++k) {
      if (weights[k] != 0) sum += ToInterpolated(row[index[k]]) * weights[k];
    }
    sums[i] += sum * weight;
  }
}

template <class T>
void InterpolateRow(const T* x, const ResizeTaps* taps, const Shape& strides,
                    const Position& position, std::int64_t count, T* y) {
  constexpr std::int64_t kBlock = 64;
  const ResizeTaps& last = taps[strides.size() - 1];
  Interpolated<T> sums[kBlock];
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const std::int64_t some = std::min(kBlock, count - first);
    std::fill_n(sums, some, Interpolated<T>(0));
    ForEachRow(taps, strides, position, [&](std::int64_t offset, double weight) {
      AddRow(x + offset, weight, last, first, some, sums);
    });
    for (std::int64_t i = 0; i < some; ++i) y[first + i] = FromInterpolated<T>(sums[i]);
  }
}

template <class T>
void ResizeRow(bool nearest, const T* x, const ResizeTaps* taps, const Shape& strides,
               const Position& position, std::int64_t count, T* y) {
  if constexpr (!std::is_same_v<T, std::string>) {
    if (!nearest) return InterpolateRow(x, taps, strides, position, count, y);
  }
  const ResizeTaps& last = taps[strides.size() - 1];
  std::int64_t row = 0;
  for (int i = 0; i < strides.size() - 1; ++i) row += taps[i].index(position[i])[0] * strides[i];
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[row + last.index(i)[0]];
}

template <class T>
T ExtrapolationValue(float value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return T();
  } else {
    return FromInterpolated<T>(value);
  }
}

// Sets the results of a row that lie outside on some axis.
template <class T>
void FillOutside(const ResizeTaps* taps, const Position& position, int rank, std::int64_t count,
                 const T& value, T* y) {
  bool outside = false;
  for (int i = 0; i < rank - 1; ++i) outside = outside || taps[i].IsOutside(position[i]);
  for (std::int64_t i = 0; i < count; ++i) {
    if (outside || taps[rank - 1].IsOutside(i)) y[i] = value;
  }
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
  if (x.rank() == 0) {
    y[0] = x[0];
    return Status();
  }
  const Shape strides = Strides(x.shape);
  const std::int64_t count = y.shape.back();
  Shape outer = y.shape;
  outer.resize(x.rank() - 1);
  Position position(outer, outer);
  for (std::int64_t o = 0; o < y.size(); o += count, position.Next()) {
    internal::ResizeRow(p.mode == ResizeMode::kNearest, x.data, taps, strides, position, count,
                        y.data + o);
    if (p.coordinate_transformation_mode == CoordinateTransformation::kTfCropAndResize) {
      internal::FillOutside(taps, position, x.rank(), count,
                            internal::ExtrapolationValue<T>(p.extrapolation_value), y.data + o);
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_RESIZE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds and sizes of Slice.
#ifndef DRAGOMAN_RUNTIME_PARAMS_SLICE_H_
#define DRAGOMAN_RUNTIME_PARAMS_SLICE_H_

#include <algorithm>
#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Per axis of the data where the slice starts, how far it steps, how many elements it takes.
struct SliceRegion {
  Shape starts;
  Shape steps;
  Shape sizes;
};

namespace internal {

constexpr std::int64_t ClampTo(std::int64_t v, std::int64_t low, std::int64_t high) {
  return v < low ? low : (v > high ? high : v);
}

// A negative bound counts from the end; the sum cannot overflow since the signs differ.
constexpr void SliceAxis(std::int64_t start, std::int64_t end, std::int64_t step, int axis,
                         SliceRegion* region) {
  const std::int64_t size = region->sizes[axis];
  if (start < 0) start += size;
  if (end < 0) end += size;
  const bool forward = step > 0;
  start = ClampTo(start, 0, forward || size == 0 ? size : size - 1);
  end = ClampTo(end, forward ? 0 : -1, forward ? size : std::max<std::int64_t>(size - 1, -1));
  const std::int64_t span = forward ? end - start : start - end;
  const std::uint64_t stride =
      forward ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const bool empty = size == 0 || span <= 0;
  region->starts[axis] = start;
  region->steps[axis] = step;
  region->sizes[axis] =
      empty ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(span - 1) / stride) + 1;
}

}  // namespace internal

// Axes that `axes` does not name stay whole; absent axes are 0, 1, ..., absent steps are 1. Bounds
// are clamped to the data as ONNX says.
constexpr Status ResolveSlice(const Shape& data, IntSpan starts, IntSpan ends, IntSpan axes,
                              IntSpan steps, SliceRegion* region) {
  if (starts.size != ends.size || (axes.data != nullptr && axes.size != starts.size) ||
      (steps.data != nullptr && steps.size != starts.size) || starts.size > data.size()) {
    return Status::Error("starts, ends, axes and steps do not fit each other");
  }
  std::uint32_t mask = 0;
  DRAGOMAN_RT_TRY(ResolveAxes(axes, data.size(), &mask));
  region->starts = Shape::Filled(data.size(), 0);
  region->steps = Shape::Filled(data.size(), 1);
  region->sizes = data;
  for (std::int64_t i = 0; i < starts.size; ++i) {
    const int axis = WrapAxis(axes.data == nullptr ? i : axes[i], data.size());
    const std::int64_t step = steps.data == nullptr ? 1 : steps[i];
    if (step == 0) return Status::Error("a step of a slice is 0");
    internal::SliceAxis(starts[i], ends[i], step, axis, region);
  }
  return Status();
}

constexpr Status SliceShape(const Shape& data, IntSpan starts, IntSpan ends, IntSpan axes,
                            IntSpan steps, Shape* output) {
  SliceRegion region;
  DRAGOMAN_RT_TRY(ResolveSlice(data, starts, ends, axes, steps, &region));
  *output = region.sizes;
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_SLICE_H_

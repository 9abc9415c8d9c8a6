// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor seen along one axis: `outer` × `size` × `inner` elements.
#ifndef DRAGOMAN_RUNTIME_KERNELS_AXIS_LOOP_H_
#define DRAGOMAN_RUNTIME_KERNELS_AXIS_LOOP_H_

#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape.h"

namespace dragoman::rt {

struct AxisLoop {
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;

  // `axis` counts from the end where negative. A tensor of rank 0 has one axis, of size 1.
  AxisLoop(const Shape& shape, std::int64_t axis) {
    const std::int64_t split = axis < 0 ? axis + shape.size() : axis;
    for (int i = 0; i < shape.size(); ++i) {
      (i < split ? outer : i == split ? size : inner) *= shape[i];
    }
  }

  // Of the first element along the axis.
  std::int64_t Offset(std::int64_t outer_index, std::int64_t inner_index) const {
    return outer_index * size * inner + inner_index;
  }
};

// Calls slice(x, y) at the start of each slice along the axis.
template <class T, class Slice>
void ForEachSlice(const AxisLoop& loop, TensorView<const T> x, TensorView<T> y, Slice slice) {
  if (y.size() == 0) return;
  for (std::int64_t o = 0; o < loop.outer; ++o) {
    for (std::int64_t i = 0; i < loop.inner; ++i) {
      slice(x.data + loop.Offset(o, i), y.data + loop.Offset(o, i));
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_AXIS_LOOP_H_

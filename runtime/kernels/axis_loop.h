// A tensor seen along one axis: `outer` × `size` × `inner` elements.
#ifndef DRAGOMAN_RUNTIME_KERNELS_AXIS_LOOP_H_
#define DRAGOMAN_RUNTIME_KERNELS_AXIS_LOOP_H_

#include <cstdint>

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

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_AXIS_LOOP_H_

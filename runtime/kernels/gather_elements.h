// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GatherElements: each index replaces its own position along the axis.
#ifndef DRAGOMAN_RUNTIME_KERNELS_GATHER_ELEMENTS_H_
#define DRAGOMAN_RUNTIME_KERNELS_GATHER_ELEMENTS_H_

#include <cstdint>

#include "runtime/kernels/index.h"
#include "runtime/kernels/position.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/gather.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// `indices` may be smaller than `data` on the other axes. Fails on an index outside [-size, size).
template <class T, class Tind>
Status GatherElements(const GatherParams& p, TensorView<const T> data,
                      TensorView<const Tind> indices, TensorView<T> output) {
  const int axis = WrapAxis(p.axis, data.rank());
  Shape strides = Strides(data.shape);
  const std::int64_t step = strides[axis];
  strides[axis] = 0;
  Position position(indices.shape, strides);
  const std::int64_t count = indices.size();
  for (std::int64_t i = 0; i < count; ++i, position.Next()) {
    std::int64_t index = 0;
    if (!WrapIndex(indices[i], data.shape[axis], &index)) return IndexOutOfRange();
    output[i] = data[position.offset() + index * step];
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_GATHER_ELEMENTS_H_

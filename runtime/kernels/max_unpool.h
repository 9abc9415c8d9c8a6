// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MaxUnpool: puts the elements that MaxPool chose back to where they came from.
#ifndef DRAGOMAN_RUNTIME_KERNELS_MAX_UNPOOL_H_
#define DRAGOMAN_RUNTIME_KERNELS_MAX_UNPOOL_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/max_unpool.h"

namespace dragoman::rt {

// An index numbers an element of a tensor of MaxUnpoolIndexedShape; the element goes to the same
// coordinates of y, which may be larger (so the ONNX suite has it). All others are 0. An index
// outside either is an error. `output_shape` only determined y's sizes.
template <class T>
Status MaxUnpool(const MaxUnpoolParams& p, TensorView<const T> x,
                 TensorView<const std::int64_t> indices, TensorView<const std::int64_t>,
                 TensorView<T> y) {
  Shape indexed;
  DRAGOMAN_RT_TRY(MaxUnpoolIndexedShape(p, x.shape, &indexed));
  const std::int64_t limit = NumElements(indexed);
  const Shape strides = Strides(y.shape);
  std::fill_n(y.data, y.size(), T(0));
  for (std::int64_t i = 0; i < x.size(); ++i) {
    std::int64_t rest = indices[i];
    if (rest < 0 || rest >= limit) return Status::Error("index out of range");
    std::int64_t target = 0;
    for (int axis = indexed.size() - 1; axis >= 0; --axis) {
      const std::int64_t at = rest % indexed[axis];
      if (at >= y.shape[axis]) return Status::Error("index outside output_shape");
      target += at * strides[axis];
      rest /= indexed[axis];
    }
    y[target] = x[i];
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_MAX_UNPOOL_H_

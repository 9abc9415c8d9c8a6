// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expand: repeats axes of size 1. The result's sizes say how often; the shape operand is not read.
#ifndef DRAGOMAN_RUNTIME_KERNELS_EXPAND_H_
#define DRAGOMAN_RUNTIME_KERNELS_EXPAND_H_

#include <cstdint>

#include "runtime/kernels/strided_copy.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

template <class T>
void Expand(TensorView<const T> input, TensorView<const std::int64_t> /*shape*/,
            TensorView<T> output) {
  const Shape from = Strides(input.shape);
  const int added = output.rank() - input.rank();
  Ints sizes, strides;
  for (int i = 0; i < output.rank(); ++i) {
    const bool repeated = i < added || input.shape[i - added] == 1;
    sizes.push_back(output.shape[i]);
    strides.push_back(repeated ? 0 : from[i - added]);
  }
  StridedCopy(input.data, sizes, strides, output.data);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_EXPAND_H_

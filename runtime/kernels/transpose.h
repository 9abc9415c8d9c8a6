// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transpose: permutes axes.
#ifndef DRAGOMAN_RUNTIME_KERNELS_TRANSPOSE_H_
#define DRAGOMAN_RUNTIME_KERNELS_TRANSPOSE_H_

#include "runtime/kernels/strided_copy.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/transpose.h"

namespace dragoman::rt {

template <class T>
void Transpose(const TransposeParams& p, TensorView<const T> data, TensorView<T> transposed) {
  const Shape from = Strides(data.shape);
  Ints sizes, strides;
  for (int i = 0; i < data.rank(); ++i) {
    const int axis = TransposeAxis(p, data.rank(), i);
    sizes.push_back(data.shape[axis]);
    strides.push_back(from[axis]);
  }
  StridedCopy(data.data, sizes, strides, transposed.data);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_TRANSPOSE_H_

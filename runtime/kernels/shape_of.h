// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape: the sizes of a tensor as data. The kernel cannot be named Shape, which is a type.
#ifndef DRAGOMAN_RUNTIME_KERNELS_SHAPE_OF_H_
#define DRAGOMAN_RUNTIME_KERNELS_SHAPE_OF_H_

#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape_of.h"

namespace dragoman::rt {

template <class T>
void ShapeOf(const ShapeParams& p, TensorView<const T> data, TensorView<std::int64_t> shape) {
  const int start = ShapeBound(p.start, data.rank());
  for (int i = 0; i < shape.size(); ++i) shape[i] = data.shape[start + i];
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_SHAPE_OF_H_

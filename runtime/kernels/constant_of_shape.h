// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ConstantOfShape: one value everywhere. The result's sizes count; the operand is not read.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CONSTANT_OF_SHAPE_H_
#define DRAGOMAN_RUNTIME_KERNELS_CONSTANT_OF_SHAPE_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/constant_of_shape.h"

namespace dragoman::rt {

// T is an unsigned integer of the element's size.
template <class T>
void ConstantOfShape(const ConstantOfShapeParams& p, TensorView<const std::int64_t> /*input*/,
                     TensorView<T> output) {
  std::fill_n(output.data, output.size(), static_cast<T>(p.bits));
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CONSTANT_OF_SHAPE_H_

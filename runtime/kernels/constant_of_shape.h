// ConstantOfShape: one value everywhere. The result's sizes count; the operand is not read.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CONSTANT_OF_SHAPE_H_
#define DRAGOMAN_RUNTIME_KERNELS_CONSTANT_OF_SHAPE_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// `value` is the attribute, one element; absent it is zero.
template <class T>
void ConstantOfShape(TensorView<const T> value, TensorView<const std::int64_t> /*input*/,
                     TensorView<T> output) {
  std::fill_n(output.data, output.size(), value.present() ? value[0] : T{});
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CONSTANT_OF_SHAPE_H_

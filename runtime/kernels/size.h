// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Size: the number of elements of a tensor.
#ifndef DRAGOMAN_RUNTIME_KERNELS_SIZE_H_
#define DRAGOMAN_RUNTIME_KERNELS_SIZE_H_

#include <cstdint>

#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

template <class T>
void Size(TensorView<const T> data, TensorView<std::int64_t> size) {
  size[0] = data.size();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_SIZE_H_

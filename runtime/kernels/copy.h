// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Identity, and Reshape, Flatten, Squeeze, Unsqueeze: the elements stay, the sizes change.
#ifndef DRAGOMAN_RUNTIME_KERNELS_COPY_H_
#define DRAGOMAN_RUNTIME_KERNELS_COPY_H_

#include <algorithm>

#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// A caller may give y the memory of x.
template <class T>
void Copy(TensorView<const T> x, TensorView<T> y) {
  if (x.data != y.data) std::copy_n(x.data, x.size(), y.data);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_COPY_H_

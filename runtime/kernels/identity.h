// Identity: a copy.
#ifndef DRAGOMAN_RUNTIME_KERNELS_IDENTITY_H_
#define DRAGOMAN_RUNTIME_KERNELS_IDENTITY_H_

#include <algorithm>

#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// Moves elements: T is of their size.
template <class T>
void Identity(TensorView<const T> input, TensorView<T> output) {
  if (input.data != output.data) std::copy_n(input.data, input.size(), output.data);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_IDENTITY_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concat: joins tensors along one axis.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CONCAT_H_
#define DRAGOMAN_RUNTIME_KERNELS_CONCAT_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/concat.h"

namespace dragoman::rt {

template <class T>
void Concat(const ConcatParams& p, Views<const T> inputs, TensorView<T> result) {
  const int axis = WrapAxis(p.axis, result.rank());
  const std::int64_t outer = ProductOfSizes(result.shape, 0, axis);
  const std::int64_t stride = ProductOfSizes(result.shape, axis, result.rank());
  T* to = result.data;
  for (std::int64_t i = 0; i < inputs.size; ++i) {
    const std::int64_t run = ProductOfSizes(inputs[i].shape, axis, result.rank());
    for (std::int64_t o = 0; o < outer; ++o) {
      std::copy_n(inputs[i].data + o * run, run, to + o * stride);
    }
    to += run;
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CONCAT_H_

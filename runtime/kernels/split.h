// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Split: cuts a tensor along one axis. The results' sizes say where; the split operand is not read.
#ifndef DRAGOMAN_RUNTIME_KERNELS_SPLIT_H_
#define DRAGOMAN_RUNTIME_KERNELS_SPLIT_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/split.h"

namespace dragoman::rt {

// Results that nobody uses may be absent views with their sizes set.
template <class T>
void Split(const SplitParams& p, TensorView<const T> input,
           TensorView<const std::int64_t> /*split*/, Views<T> outputs) {
  const int axis = WrapAxis(p.axis, input.rank());
  const std::int64_t outer = ProductOfSizes(input.shape, 0, axis);
  const std::int64_t stride = ProductOfSizes(input.shape, axis, input.rank());
  const T* from = input.data;
  for (std::int64_t i = 0; i < outputs.size; ++i) {
    const std::int64_t run = ProductOfSizes(outputs[i].shape, axis, input.rank());
    for (std::int64_t o = 0; o < outer && outputs[i].present(); ++o) {
      std::copy_n(from + o * stride, run, outputs[i].data + o * run);
    }
    from += run;
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_SPLIT_H_

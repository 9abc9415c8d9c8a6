// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Range: start, start + delta, start + 2 delta, ...
#ifndef DRAGOMAN_RUNTIME_KERNELS_RANGE_H_
#define DRAGOMAN_RUNTIME_KERNELS_RANGE_H_

#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// Element i is start + i * delta, so that rounding does not accumulate; integers wrap.
template <class T>
void Range(TensorView<const T> start, TensorView<const T> /*limit*/, TensorView<const T> delta,
           TensorView<T> output) {
  using C = Compute<T>;
  const C first = static_cast<C>(start[0]);
  const C step = static_cast<C>(delta[0]);
  const std::int64_t count = output.size();
  for (std::int64_t i = 0; i < count; ++i) {
    output[i] = static_cast<T>(WrapAdd<C>(first, WrapMul<C>(static_cast<C>(i), step)));
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_RANGE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GlobalAveragePool: the mean of each plane.
#ifndef DRAGOMAN_RUNTIME_KERNELS_GLOBAL_AVERAGE_POOL_H_
#define DRAGOMAN_RUNTIME_KERNELS_GLOBAL_AVERAGE_POOL_H_

#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// x is (N, C, spatial...), y (N, C, 1, ...). The mean of an empty plane is NaN.
template <class T>
void GlobalAveragePool(TensorView<const T> x, TensorView<T> y) {
  using Sum = Accumulate<T>;
  std::int64_t plane = 1;
  for (int i = 2; i < x.rank(); ++i) plane *= x.shape[i];
  const T* from = x.data;
  for (std::int64_t i = 0; i < y.size(); ++i, from += plane) {
    Sum sum = 0;
    for (std::int64_t k = 0; k < plane; ++k) sum += static_cast<Sum>(from[k]);
    y[i] = static_cast<T>(static_cast<Compute<T>>(sum / static_cast<Sum>(plane)));
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_GLOBAL_AVERAGE_POOL_H_

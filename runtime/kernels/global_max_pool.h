// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GlobalMaxPool: the maximum of each plane.
#ifndef DRAGOMAN_RUNTIME_KERNELS_GLOBAL_MAX_POOL_H_
#define DRAGOMAN_RUNTIME_KERNELS_GLOBAL_MAX_POOL_H_

#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// x is (N, C, spatial...), y (N, C, 1, ...). A NaN wins. The maximum of an empty plane is
// LowestValue.
template <class T>
void GlobalMaxPool(TensorView<const T> x, TensorView<T> y) {
  std::int64_t plane = 1;
  for (int i = 2; i < x.rank(); ++i) plane *= x.shape[i];
  const T* from = x.data;
  for (std::int64_t i = 0; i < y.size(); ++i, from += plane) {
    Compute<T> best = LowestValue<T>();
    for (std::int64_t k = 0; k < plane; ++k) {
      const Compute<T> element = from[k];
      best = element > best || element != element ? element : best;
    }
    y[i] = static_cast<T>(best);
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_GLOBAL_MAX_POOL_H_

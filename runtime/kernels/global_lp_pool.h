// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GlobalLpPool: the p-norm of each plane.
#ifndef DRAGOMAN_RUNTIME_KERNELS_GLOBAL_LP_POOL_H_
#define DRAGOMAN_RUNTIME_KERNELS_GLOBAL_LP_POOL_H_

#include <cstdint>

#include "runtime/kernels/lp_pool.h"
#include "runtime/params/global_lp_pool.h"

namespace dragoman::rt {

// x is (N, C, spatial...), y (N, C, 1, ...). The norm of an empty plane is 0.
template <class T>
void GlobalLpPool(const GlobalLpPoolParams& p, TensorView<const T> x, TensorView<T> y) {
  using Sum = Accumulate<T>;
  std::int64_t plane = 1;
  for (int i = 2; i < x.rank(); ++i) plane *= x.shape[i];
  const T* from = x.data;
  for (std::int64_t i = 0; i < y.size(); ++i, from += plane) {
    Sum sum = 0;
    for (std::int64_t k = 0; k < plane; ++k) sum += LpTerm(static_cast<Sum>(from[k]), p.p);
    y[i] = static_cast<T>(static_cast<Compute<T>>(LpRoot(sum, p.p)));
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_GLOBAL_LP_POOL_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LpPool over 1 to 6 spatial axes: the p-norm of each window.
#ifndef DRAGOMAN_RUNTIME_KERNELS_LP_POOL_H_
#define DRAGOMAN_RUNTIME_KERNELS_LP_POOL_H_

#include <cmath>
#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/pool_rows.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/lp_pool.h"

namespace dragoman::rt {

// |value| to the power p, and the root that undoes it.
template <class Sum>
Sum LpTerm(Sum value, std::int64_t p) {
  if (p == 1) return std::fabs(value);
  return p == 2 ? value * value : std::pow(std::fabs(value), static_cast<Sum>(p));
}
template <class Sum>
Sum LpRoot(Sum sum, std::int64_t p) {
  if (p == 1) return sum;
  return p == 2 ? std::sqrt(sum) : std::pow(sum, Sum(1) / static_cast<Sum>(p));
}

// x is (N, C, spatial...). Padding counts as 0.
template <class T>
void LpPool(const LpPoolParams& p, TensorView<const T> x, TensorView<T> y) {
  using Sum = Accumulate<T>;
  Window window;
  if (!LpPoolWindow(p, x.shape, &window).ok()) return;
  const auto add = [&](T element, Sum& sum) { sum += LpTerm(static_cast<Sum>(element), p.p); };
  const auto finish = [&](Sum sum, std::int64_t, std::int64_t) {
    return static_cast<T>(static_cast<Compute<T>>(LpRoot(sum, p.p)));
  };
  PoolBySums<T, Sum>(window, x.shape[0] * x.shape[1], x.data, y.data, add, finish);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_LP_POOL_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CumSum: running sums along an axis.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CUM_SUM_H_
#define DRAGOMAN_RUNTIME_KERNELS_CUM_SUM_H_

#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/cum_sum.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

namespace internal {

// The running sums of kLines lines of n elements, of which each begins `apart` after the one
// before.
template <int kLines, class T>
void RunningSums(const T* x, std::int64_t n, std::int64_t step, std::int64_t apart, bool exclusive,
                 T* y) {
  Accumulate<T> sums[kLines] = {};
  for (std::int64_t i = 0; i < n; ++i, x += step, y += step) {
    for (int line = 0; line < kLines; ++line) {
      const Accumulate<T> next = WrapAdd(sums[line], static_cast<Accumulate<T>>(x[line * apart]));
      y[line * apart] = static_cast<T>(exclusive ? sums[line] : next);
      sums[line] = next;
    }
  }
}

// The same of `lines` lines. Several at a time need not wait for one another's sums.
template <int kLines, class T>
void RunningSumsOf(std::int64_t lines, const T* x, std::int64_t n, std::int64_t step,
                   std::int64_t apart, bool exclusive, T* y) {
  std::int64_t line = 0;
  for (; line + kLines <= lines; line += kLines, x += kLines * apart, y += kLines * apart)
    RunningSums<kLines>(x, n, step, apart, exclusive, y);
  for (; line < lines; ++line, x += apart, y += apart)
    RunningSums<1>(x, n, step, apart, exclusive, y);
}

}  // namespace internal

// Fails on an axis out of range. Integers wrap.
template <class T, class Taxis>
Status CumSum(const CumSumParams& p, TensorView<const T> x, TensorView<const Taxis> axis,
              TensorView<T> y) {
  int along = 0;
  DRAGOMAN_RT_TRY(ResolveAxis(axis[0], x.rank(), &along));
  const std::int64_t size = x.shape[along];
  const std::int64_t outer = ProductOfSizes(x.shape, 0, along);
  const std::int64_t inner = ProductOfSizes(x.shape, along + 1, x.rank());
  const std::int64_t step = p.reverse ? -inner : inner;
  const std::int64_t first = p.reverse ? (size - 1) * inner : 0;
  const T* x_first = x.data + first;
  T* y_first = y.data + first;
  if (inner == 1) {
    internal::RunningSumsOf<8>(outer, x_first, size, step, size, p.exclusive, y_first);
    return Status();
  }
  for (std::int64_t o = 0; o < outer; ++o) {
    const std::int64_t at = o * size * inner;
    internal::RunningSumsOf<16>(inner, x_first + at, size, step, 1, p.exclusive, y_first + at);
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CUM_SUM_H_

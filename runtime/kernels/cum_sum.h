// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CumSum: running sums along an axis.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CUM_SUM_H_
#define DRAGOMAN_RUNTIME_KERNELS_CUM_SUM_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/cum_sum.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

namespace internal {

// The running sums of `lines` (at most kMost) lines of n elements, of which each begins `apart`
// after the one before: none waits for another's.
template <int kMost, class T>
void RunningSums(std::int64_t lines, const T* x, std::int64_t n, std::int64_t step,
                 std::int64_t apart, bool exclusive, T* y) {
  Accumulate<T> sums[kMost] = {};
  for (std::int64_t i = 0; i < n; ++i, x += step, y += step) {
    for (std::int64_t line = 0; line < lines; ++line) {
      const Accumulate<T> next = WrapAdd(sums[line], static_cast<Accumulate<T>>(x[line * apart]));
      y[line * apart] = static_cast<T>(exclusive ? sums[line] : next);
      sums[line] = next;
    }
  }
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
    constexpr int kLines = 8;  // whose sums stay in registers
    std::int64_t o = 0;
    for (; o + kLines <= outer; o += kLines, x_first += kLines * size, y_first += kLines * size)
      internal::RunningSums<kLines>(kLines, x_first, size, step, size, p.exclusive, y_first);
    for (; o < outer; ++o, x_first += size, y_first += size)
      internal::RunningSums<1>(1, x_first, size, step, size, p.exclusive, y_first);
    return Status();
  }
  constexpr std::int64_t kColumns = 32;  // whose sums stay in registers
  for (std::int64_t o = 0; o < outer; ++o) {
    std::int64_t at = o * size * inner;
    const std::int64_t end = at + inner;
    for (; at + kColumns <= end; at += kColumns)
      internal::RunningSums<kColumns>(kColumns, x_first + at, size, step, 1, p.exclusive,
                                      y_first + at);
    if (at < end)
      internal::RunningSums<kColumns>(end - at, x_first + at, size, step, 1, p.exclusive,
                                      y_first + at);
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CUM_SUM_H_

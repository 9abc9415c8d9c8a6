// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ArgMax and ArgMin: the index of the extreme along an axis, the first or the last of equal ones.
// The first NaN is more extreme than any number. A reduced axis of size 0 gives no valid index: 0.
#ifndef DRAGOMAN_RUNTIME_KERNELS_ARG_REDUCE_H_
#define DRAGOMAN_RUNTIME_KERNELS_ARG_REDUCE_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/axis_loop.h"
#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/arg_reduce.h"

namespace dragoman::rt {

namespace internal {

// The best of n elements `stride` apart and its index, for kLines lines that lie side by side;
// precedes(a, b) is strict. Indices as wide as the elements keep lanes of vectors together.
template <int kLines, class Index, class T, class Precedes>
void FindBest(const T* x, Index n, std::int64_t stride, bool last, Precedes precedes,
              Compute<T>* best_of, Index* indices) {
  using C = Compute<T>;
  C best[kLines] = {};
  Index at[kLines] = {};
  for (int line = 0; line < kLines && n > 0; ++line) best[line] = Widen(x[line]);
  for (Index i = 1; i < n; ++i) {
    x += stride;
    for (int line = 0; line < kLines; ++line) {
      const C v = Widen(x[line]), so_far = best[line];
      const bool first_nan = v != v && so_far == so_far;
      const bool better = precedes(v, so_far) || (last && v == so_far) || first_nan;
      best[line] = better ? v : so_far;
      at[line] = better ? i : at[line];
    }
  }
  std::copy_n(best, kLines, best_of);
  std::copy_n(at, kLines, indices);
}

// The index of the best of n elements `stride` apart. Elements that lie one after the other are
// taken as lines side by side, of whose best ones the best is found.
template <class T, class Precedes>
std::int64_t FindBestOf(const T* x, std::int64_t n, std::int64_t stride, bool last,
                        Precedes precedes) {
  using C = Compute<T>;
  constexpr int kLanes = 16;
  C best[kLanes];
  std::int64_t at = 0;
  const auto rows = static_cast<std::int32_t>(n / kLanes);
  if (stride != 1 || rows < 2 || rows != n / kLanes) {
    FindBest<1>(x, n, stride, last, precedes, best, &at);
    return at;
  }
  std::int32_t row[kLanes];
  FindBest<kLanes>(x, rows, kLanes, last, precedes, best, row);
  C so_far = best[0];
  at = std::int64_t{row[0]} * kLanes;
  const auto offer = [&](C v, std::int64_t index) {
    const bool wins_tie = (v == so_far && last) ? index > at : index < at;
    const bool ties = v == so_far || (v != v && so_far != so_far);
    const bool first_nan = v != v && so_far == so_far;
    if (!precedes(v, so_far) && !first_nan && !(ties && wins_tie)) return;
    so_far = v;
    at = index;
  };
  for (int lane = 1; lane < kLanes; ++lane)
    offer(best[lane], std::int64_t{row[lane]} * kLanes + lane);
  for (std::int64_t i = std::int64_t{rows} * kLanes; i < n; ++i) offer(Widen(x[i]), i);
  return at;
}

template <class T, class Precedes>
void ArgReduce(const ArgReduceParams& p, TensorView<const T> data, TensorView<std::int64_t> reduced,
               Precedes precedes) {
  constexpr int kLines = 16;
  const AxisLoop loop(data.shape, p.axis);
  const auto size = static_cast<std::int32_t>(loop.size);
  std::int64_t* to = reduced.data;
  for (std::int64_t o = 0; o < loop.outer; ++o) {
    const T* x = data.data + loop.Offset(o, 0);
    const bool last = p.select_last_index;
    std::int64_t left = loop.inner;
    for (; left >= kLines && size == loop.size; left -= kLines, x += kLines, to += kLines) {
      Compute<T> best[kLines];
      std::int32_t at[kLines];
      FindBest<kLines>(x, size, loop.inner, last, precedes, best, at);
      std::copy_n(at, kLines, to);
    }
    for (; left > 0; --left, ++x, ++to) *to = FindBestOf(x, loop.size, loop.inner, last, precedes);
  }
}

}  // namespace internal

template <class T>
void ArgMax(const ArgReduceParams& p, TensorView<const T> data, TensorView<std::int64_t> reduced) {
  internal::ArgReduce(p, data, reduced, [](Compute<T> a, Compute<T> b) { return a > b; });
}

template <class T>
void ArgMin(const ArgReduceParams& p, TensorView<const T> data, TensorView<std::int64_t> reduced) {
  internal::ArgReduce(p, data, reduced, [](Compute<T> a, Compute<T> b) { return a < b; });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_ARG_REDUCE_H_

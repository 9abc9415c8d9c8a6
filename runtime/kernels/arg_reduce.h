// ArgMax and ArgMin: the index of the extreme along an axis, the first or the last of equal ones.
// The first NaN is more extreme than any number. A reduced axis of size 0 gives no valid index: 0.
#ifndef DRAGOMAN_RUNTIME_KERNELS_ARG_REDUCE_H_
#define DRAGOMAN_RUNTIME_KERNELS_ARG_REDUCE_H_

#include <cstdint>

#include "runtime/kernels/axis_loop.h"
#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/arg_reduce.h"

namespace dragoman::rt {

namespace internal {

// The index of the best of `n` elements `stride` apart; precedes(a, b) is strict.
template <class T, class Precedes>
std::int64_t FindBest(const T* x, std::int64_t n, std::int64_t stride, bool last,
                      Precedes precedes) {
  using C = Compute<T>;
  std::int64_t best = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const C v = Widen(x[i * stride]);
    if (v != v) return i;
    const C so_far = Widen(x[best * stride]);
    if (precedes(v, so_far) || (last && v == so_far)) best = i;
  }
  return best;
}

template <class T, class Precedes>
void ArgReduce(const ArgReduceParams& p, TensorView<const T> data, TensorView<std::int64_t> reduced,
               Precedes precedes) {
  const AxisLoop loop(data.shape, p.axis);
  for (std::int64_t o = 0; o < loop.outer; ++o) {
    for (std::int64_t i = 0; i < loop.inner; ++i) {
      reduced[o * loop.inner + i] = FindBest(data.data + loop.Offset(o, i), loop.size, loop.inner,
                                             p.select_last_index, precedes);
    }
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

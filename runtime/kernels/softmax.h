// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax, LogSoftmax and Hardmax along one axis, as in ai.onnx 13 and later. A slice that holds
// NaN or +infinity, or nothing but -infinity, becomes NaN in Softmax and LogSoftmax. Hardmax marks
// the first of equal maxima.
#ifndef DRAGOMAN_RUNTIME_KERNELS_SOFTMAX_H_
#define DRAGOMAN_RUNTIME_KERNELS_SOFTMAX_H_

#include <cmath>
#include <cstdint>

#include "runtime/kernels/arg_reduce.h"
#include "runtime/kernels/axis_loop.h"
#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/softmax.h"

namespace dragoman::rt {

namespace internal {

// What softmax needs to know of `n` elements `stride` apart.
template <class C>
struct ExpSum {
  C max;
  C sum;  // of exp(x - max)
};

template <class T>
ExpSum<Compute<T>> SumExp(const T* x, std::int64_t n, std::int64_t stride) {
  using C = Compute<T>;
  C max = Widen(LowestValue<T>());
  for (std::int64_t i = 0; i < n; ++i) {
    const C v = Widen(x[i * stride]);
    max = v > max ? v : max;
  }
  Accumulate<C> sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::exp(Widen(x[i * stride]) - max);
  return {max, static_cast<C>(sum)};
}

}  // namespace internal

template <class T>
void Softmax(const SoftmaxParams& p, TensorView<const T> input, TensorView<T> output) {
  using C = Compute<T>;
  const AxisLoop loop(input.shape, p.axis);
  ForEachSlice(loop, input, output, [&loop](const T* x, T* y) {
    const internal::ExpSum<C> total = internal::SumExp(x, loop.size, loop.inner);
    for (std::int64_t i = 0; i < loop.size * loop.inner; i += loop.inner) {
      y[i] = static_cast<T>(std::exp(Widen(x[i]) - total.max) / total.sum);
    }
  });
}

template <class T>
void LogSoftmax(const SoftmaxParams& p, TensorView<const T> input, TensorView<T> output) {
  using C = Compute<T>;
  const AxisLoop loop(input.shape, p.axis);
  ForEachSlice(loop, input, output, [&loop](const T* x, T* y) {
    const internal::ExpSum<C> total = internal::SumExp(x, loop.size, loop.inner);
    const C log_sum = std::log(total.sum);
    for (std::int64_t i = 0; i < loop.size * loop.inner; i += loop.inner) {
      y[i] = static_cast<T>(Widen(x[i]) - total.max - log_sum);
    }
  });
}

template <class T>
void Hardmax(const SoftmaxParams& p, TensorView<const T> input, TensorView<T> output) {
  using C = Compute<T>;
  const AxisLoop loop(input.shape, p.axis);
  ForEachSlice(loop, input, output, [&loop](const T* x, T* y) {
    const std::int64_t best = internal::FindBestOf(x, loop.size, loop.inner, /*last=*/false,
                                                   [](C a, C b) { return a > b; });
    for (std::int64_t i = 0; i < loop.size; ++i) y[i * loop.inner] = static_cast<T>(C(0));
    if (loop.size > 0) y[best * loop.inner] = static_cast<T>(C(1));
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_SOFTMAX_H_

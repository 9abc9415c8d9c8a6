// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mean and variance of contiguous elements, in two passes: what the normalisations share.
#ifndef DRAGOMAN_RUNTIME_KERNELS_MOMENTS_H_
#define DRAGOMAN_RUNTIME_KERNELS_MOMENTS_H_

#include <cstdint>

#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/reduce_loop.h"

namespace dragoman::rt {

// The type of statistics of T: double for float too, so that sums over images keep float's
// precision.
template <class T>
using Statistic = Accumulate<Compute<T>>;

// The sum of f(x) over the elements; kLanes partial sums, so that the loop vectorises.
template <class T, class F>
Statistic<T> SumOf(const T* x, std::int64_t n, F f) {
  using S = Statistic<T>;
  S sums[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      sums[lane] += f(static_cast<S>(Widen(x[i + lane])));
    }
  }
  S sum = 0;
  for (; i < n; ++i) sum += f(static_cast<S>(Widen(x[i])));
  for (S partial : sums) sum += partial;
  return sum;
}

// The variance is that of the population: the mean of squared deviations.
template <class S>
struct Moments {
  S mean;
  S variance;
};

// Of `runs` runs of `n` contiguous elements whose starts are `stride` apart.
template <class T>
Moments<Statistic<T>> FindMoments(const T* x, std::int64_t runs, std::int64_t stride,
                                  std::int64_t n) {
  using S = Statistic<T>;
  const S count = static_cast<S>(runs * n);
  S sum = 0;
  for (std::int64_t r = 0; r < runs; ++r) sum += SumOf(x + r * stride, n, [](S v) { return v; });
  const S mean = sum / count;
  S squares = 0;
  for (std::int64_t r = 0; r < runs; ++r) {
    squares += SumOf(x + r * stride, n, [mean](S v) { return (v - mean) * (v - mean); });
  }
  return {mean, squares / count};
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_MOMENTS_H_

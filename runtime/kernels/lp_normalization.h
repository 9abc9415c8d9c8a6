// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LpNormalization: x divided by its 1- or 2-norm along an axis. A slice of norm 0 stays 0.
#ifndef DRAGOMAN_RUNTIME_KERNELS_LP_NORMALIZATION_H_
#define DRAGOMAN_RUNTIME_KERNELS_LP_NORMALIZATION_H_

#include <cmath>
#include <cstdint>

#include "runtime/kernels/axis_loop.h"
#include "runtime/kernels/convert.h"
#include "runtime/kernels/moments.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/lp_normalization.h"

namespace dragoman::rt {

template <class T>
void LpNormalization(const LpNormalizationParams& p, TensorView<const T> input,
                     TensorView<T> output) {
  using S = Statistic<T>;
  const AxisLoop loop(input.shape, p.axis);
  ForEachSlice(loop, input, output, [&](const T* x, T* y) {
    S sum = 0;
    for (std::int64_t i = 0; i < loop.size * loop.inner; i += loop.inner) {
      const S v = static_cast<S>(Widen(x[i]));
      sum += p.p == 1 ? std::fabs(v) : v * v;
    }
    const S norm = p.p == 1 ? sum : std::sqrt(sum);
    for (std::int64_t i = 0; i < loop.size * loop.inner; i += loop.inner) {
      y[i] = static_cast<T>(norm == 0 ? S(0) : static_cast<S>(Widen(x[i])) / norm);
    }
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_LP_NORMALIZATION_H_

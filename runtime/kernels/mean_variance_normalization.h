// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MeanVarianceNormalization: (x - mean) / (sqrt(variance) + 1e-9) with the statistics over `axes`.
#ifndef DRAGOMAN_RUNTIME_KERNELS_MEAN_VARIANCE_NORMALIZATION_H_
#define DRAGOMAN_RUNTIME_KERNELS_MEAN_VARIANCE_NORMALIZATION_H_

#include <cmath>
#include <cstdint>

#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/moments.h"
#include "runtime/kernels/reduce_loop.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/mean_variance_normalization.h"
#include "runtime/params/reduce.h"

namespace dragoman::rt {

template <class T>
void MeanVarianceNormalization(const MeanVarianceNormalizationParams& p, TensorView<const T> x,
                               TensorView<T> y) {
  using S = Statistic<T>;
  if (y.size() == 0) return;
  const IntSpan axes{p.axes.data(), p.axes.size()};
  const ReducePlan plan(x.shape, FindReducedAxes(x.rank(), axes, false));
  const S count = static_cast<S>(plan.reduced.count());
  plan.kept.ForEach([&](std::int64_t start) {
    const T* in = x.data + start;
    T* out = y.data + start;
    S sum = 0;
    plan.reduced.ForEach([&](std::int64_t i) { sum += static_cast<S>(Widen(in[i])); });
    const S mean = sum / count;
    S squares = 0;
    plan.reduced.ForEach([&](std::int64_t i) {
      const S deviation = static_cast<S>(Widen(in[i])) - mean;
      squares += deviation * deviation;
    });
    const S inverse = 1 / (std::sqrt(squares / count) + S(1e-9));
    plan.reduced.ForEach([&](std::int64_t i) {
      out[i] = static_cast<T>((static_cast<S>(Widen(in[i])) - mean) * inverse);
    });
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_MEAN_VARIANCE_NORMALIZATION_H_

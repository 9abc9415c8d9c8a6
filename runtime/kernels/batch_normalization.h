// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BatchNormalization of ai.onnx 15: y = (x - mean) / sqrt(variance + epsilon) * scale + b, per
// channel (axis 1; a tensor of rank 1 has one channel).
//
// Inference takes the statistics `mean` and `variance`. In training mode they are those of the
// batch, and the running ones are momentum * given + (1 - momentum) * batch.
#ifndef DRAGOMAN_RUNTIME_KERNELS_BATCH_NORMALIZATION_H_
#define DRAGOMAN_RUNTIME_KERNELS_BATCH_NORMALIZATION_H_

#include <cmath>
#include <cstdint>

#include "runtime/kernels/axis_loop.h"
#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/moments.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/batch_normalization.h"

namespace dragoman::rt {

// The running statistics are written in training mode only.
template <class T, class T1, class T2>
void BatchNormalization(const BatchNormalizationParams& p, TensorView<const T> x,
                        TensorView<const T1> scale, TensorView<const T1> b,
                        TensorView<const T2> mean, TensorView<const T2> variance, TensorView<T> y,
                        TensorView<T2> running_mean, TensorView<T2> running_variance) {
  using S = Statistic<T>;
  const AxisLoop loop(x.shape, 1);
  const S epsilon = static_cast<S>(p.epsilon);
  const S momentum = static_cast<S>(p.momentum);
  for (std::int64_t c = 0; c < loop.size; ++c) {
    Moments<S> used{static_cast<S>(Widen(mean[c])), static_cast<S>(Widen(variance[c]))};
    if (p.training_mode) {
      const Moments<S> given = used;
      used = FindMoments(x.data + c * loop.inner, loop.outer, loop.size * loop.inner, loop.inner);
      const auto blend = [momentum](S old, S now) { return old * momentum + now * (1 - momentum); };
      if (running_mean.present()) {
        running_mean[c] = static_cast<T2>(blend(given.mean, used.mean));
      }
      if (running_variance.present()) {
        running_variance[c] = static_cast<T2>(blend(given.variance, used.variance));
      }
    }
    const S gain = static_cast<S>(Widen(scale[c])) / std::sqrt(used.variance + epsilon);
    const S offset = static_cast<S>(Widen(b[c])) - used.mean * gain;
    for (std::int64_t o = 0; o < loop.outer; ++o) {
      const std::int64_t start = (o * loop.size + c) * loop.inner;
      for (std::int64_t i = start; i < start + loop.inner; ++i) {
        y[i] = static_cast<T>(static_cast<S>(Widen(x[i])) * gain + offset);
      }
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_BATCH_NORMALIZATION_H_

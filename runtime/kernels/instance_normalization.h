// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// InstanceNormalization and GroupNormalization: y = (x - mean) / sqrt(variance + epsilon) * scale +
// bias, with the statistics of each channel, or group of channels, of each instance. x is (N, C,
// …), `scale` and `bias` have an element a channel (ai.onnx 21).
#ifndef DRAGOMAN_RUNTIME_KERNELS_INSTANCE_NORMALIZATION_H_
#define DRAGOMAN_RUNTIME_KERNELS_INSTANCE_NORMALIZATION_H_

#include <cmath>
#include <cstdint>

#include "runtime/kernels/axis_loop.h"
#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/moments.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/group_normalization.h"
#include "runtime/params/instance_normalization.h"

namespace dragoman::rt {

// Statistics are computed in float at least, whatever stash_type says. num_groups divides C.
template <class T>
void GroupNormalization(const GroupNormalizationParams& p, TensorView<const T> x,
                        TensorView<const T> scale, TensorView<const T> bias, TensorView<T> y) {
  using S = Statistic<T>;
  if (y.size() == 0) return;
  const AxisLoop loop(x.shape, 1);
  const std::int64_t channels = loop.size / p.num_groups;
  const std::int64_t size = channels * loop.inner;
  for (std::int64_t group = 0; group < loop.outer * p.num_groups; ++group) {
    const T* in = x.data + group * size;
    T* out = y.data + group * size;
    const Moments<S> moments = FindMoments(in, 1, 0, size);
    const S inverse = 1 / std::sqrt(moments.variance + static_cast<S>(p.epsilon));
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t channel = group % p.num_groups * channels + c;
      const S gain = static_cast<S>(Widen(scale[channel])) * inverse;
      const S offset = static_cast<S>(Widen(bias[channel])) - moments.mean * gain;
      for (std::int64_t i = c * loop.inner; i < (c + 1) * loop.inner; ++i) {
        out[i] = static_cast<T>(static_cast<S>(Widen(in[i])) * gain + offset);
      }
    }
  }
}

template <class T>
void InstanceNormalization(const InstanceNormalizationParams& p, TensorView<const T> input,
                           TensorView<const T> scale, TensorView<const T> b, TensorView<T> output) {
  GroupNormalizationParams group;
  group.epsilon = p.epsilon;
  group.num_groups = input.shape[1];
  GroupNormalization(group, input, scale, b, output);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_INSTANCE_NORMALIZATION_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QLinearConv: the convolution of quantised operands, quantised.
#ifndef DRAGOMAN_RUNTIME_KERNELS_Q_LINEAR_CONV_H_
#define DRAGOMAN_RUNTIME_KERNELS_Q_LINEAR_CONV_H_

#include <cstdint>

#include "runtime/kernels/conv_integer.h"
#include "runtime/kernels/q_linear_mat_mul.h"

namespace dragoman::rt {

// Scales and zero points are scalars, those of w also one a result channel. b (int32, or absent) is
// quantised with x_scale * w_scale. The result is rounded to nearest, ties to even, and saturated.
template <class T1, class T2, class T3>
void QLinearConv(const ConvParams& p, TensorView<const T1> x, TensorView<const float> x_scale,
                 TensorView<const T1> x_zero_point, TensorView<const T2> w,
                 TensorView<const float> w_scale, TensorView<const T2> w_zero_point,
                 TensorView<const float> y_scale, TensorView<const T3> y_zero_point,
                 TensorView<const std::int32_t> b, TensorView<T3> y) {
  const bool by_channel = w_scale.size() > 1;
  const auto store = [&](std::int64_t channel, std::int64_t at, std::int32_t sum) {
    const float scale = x_scale[0] * w_scale[by_channel ? channel : 0] / y_scale[0];
    if (b.present()) sum = WrapAdd(sum, b[channel]);
    y[at] = Requantize<T3>(static_cast<float>(sum) * scale, y_zero_point[0]);
  };
  ConvolveIntegers(p, x, w, x_zero_point, w_zero_point, store);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_Q_LINEAR_CONV_H_

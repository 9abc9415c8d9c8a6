// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DynamicQuantizeLinear: quantizes to the full range of T2 over the span of x and 0.
//
//     scale      = (max(x, 0) - min(x, 0)) / (qmax - qmin)
//     zero_point = saturate(round_to_even(qmin - min(x, 0) / scale))
//     y          = saturate(round_to_even(x / scale) + zero_point)
//
// Where x has no element other than 0, scale is 0, and y and zero point are qmin.
#ifndef DRAGOMAN_RUNTIME_KERNELS_DYNAMIC_QUANTIZE_LINEAR_H_
#define DRAGOMAN_RUNTIME_KERNELS_DYNAMIC_QUANTIZE_LINEAR_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime/kernels/convert.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

template <class T1, class T2>
void DynamicQuantizeLinear(TensorView<const T1> x, TensorView<T2> y, TensorView<T1> y_scale,
                           TensorView<T2> y_zero_point) {
  constexpr T1 kLeast = static_cast<T1>(std::numeric_limits<T2>::min());
  constexpr T1 kGreatest = static_cast<T1>(std::numeric_limits<T2>::max());
  const std::int64_t n = x.size();
  T1 min = 0;
  T1 max = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    min = x[i] < min ? x[i] : min;
    max = x[i] > max ? x[i] : max;
  }
  const T1 scale = (max - min) / (kGreatest - kLeast);
  const T1 divisor = scale == 0 ? T1(1) : scale;
  const T2 zero = ToInteger<T2>(std::nearbyint(kLeast - min / divisor));
  y_scale[0] = scale;
  y_zero_point[0] = zero;
  for (std::int64_t i = 0; i < n; ++i) {
    y[i] = ToInteger<T2>(std::nearbyint(x[i] / divisor) + static_cast<T1>(zero));
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_DYNAMIC_QUANTIZE_LINEAR_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QLinearMatMul: the product of two quantised operands, quantised.
#ifndef DRAGOMAN_RUNTIME_KERNELS_Q_LINEAR_MAT_MUL_H_
#define DRAGOMAN_RUNTIME_KERNELS_Q_LINEAR_MAT_MUL_H_

#include <cmath>
#include <cstdint>

#include "runtime/kernels/mat_mul_integer.h"

namespace dragoman::rt {

// `value` rounded to the nearest integer, ties to even, plus `zero_point`, saturated to T (8 bits).
template <class T>
T Requantize(float value, std::int32_t zero_point) {
  const float shifted = std::nearbyint(value) + static_cast<float>(zero_point);
  const float low = static_cast<float>(LowestValue<T>());
  const float high = static_cast<float>(HighestValue<T>());
  if (!(shifted > low)) return LowestValue<T>();
  return shifted < high ? static_cast<T>(static_cast<std::int32_t>(shifted)) : HighestValue<T>();
}

// Of 8-bit integers. Scales and zero points are scalars or one per row (a, y) or column (b), as in
// MatMulInteger.
template <class T1, class TS, class T2, class T3>
void QLinearMatMul(TensorView<const T1> a, TensorView<const TS> a_scale,
                   TensorView<const T1> a_zero_point, TensorView<const T2> b,
                   TensorView<const TS> b_scale, TensorView<const T2> b_zero_point,
                   TensorView<const TS> y_scale, TensorView<const T3> y_zero_point,
                   TensorView<T3> y) {
  MatMulSizes sizes;
  if (!ResolveMatMul(a.shape, b.shape, &sizes).ok()) return;
  const ProductSizes product{sizes.rows, sizes.columns, sizes.depth};
  const std::int64_t a_matrix = sizes.rows * sizes.depth;
  const std::int64_t b_matrix = sizes.depth * sizes.columns;
  const std::int64_t y_matrix = sizes.rows * sizes.columns;
  QuantParameter<TS> a_scales(a_scale, sizes.rows, a_matrix);
  QuantParameter<T1> a_zeros(a_zero_point, sizes.rows, a_matrix);
  QuantParameter<TS> b_scales(b_scale, sizes.columns, b_matrix);
  QuantParameter<T2> b_zeros(b_zero_point, sizes.columns, b_matrix);
  QuantParameter<TS> y_scales(y_scale, sizes.rows, y_matrix);
  QuantParameter<T3> y_zeros(y_zero_point, sizes.rows, y_matrix);
  ForEachMatrix(sizes, [&](std::int64_t n, std::int64_t a_offset, std::int64_t b_offset) {
    a_scales.Select(a_offset);
    a_zeros.Select(a_offset);
    b_scales.Select(b_offset);
    b_zeros.Select(b_offset);
    y_scales.Select(n * y_matrix);
    y_zeros.Select(n * y_matrix);
    const auto store = [&](std::int64_t i, std::int64_t j, std::int32_t sum) {
      const float scale = a_scales.At(i, 1.0f) * b_scales.At(j, 1.0f) / y_scales.At(i, 1.0f);
      y[n * y_matrix + i * sizes.columns + j] =
          Requantize<T3>(static_cast<float>(sum) * scale, y_zeros.At(i, std::int32_t{0}));
    };
    MultiplyIntegers(product, a.data + a_offset, a_zeros, b.data + b_offset, b_zeros, store);
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_Q_LINEAR_MAT_MUL_H_

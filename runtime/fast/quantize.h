// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QuantizeLinear from f32 to 8-bit integers, DequantizeLinear back, and DynamicQuantizeLinear: the
// numbers of the plain kernels, by vectors.
#ifndef DRAGOMAN_RUNTIME_FAST_QUANTIZE_H_
#define DRAGOMAN_RUNTIME_FAST_QUANTIZE_H_

#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/quantize_linear.h"

namespace dragoman::rt {

// Without zero points it is 0.
template <class T>
void QuantizeTensor(const QuantizeLinearParams& p, TensorView<const float> x,
                    TensorView<const float> scale, TensorView<const T> zero,
                    TensorView<T> y) noexcept;
template <class T>
void DequantizeTensor(const DequantizeLinearParams& p, TensorView<const T> x,
                      TensorView<const float> scale, TensorView<const T> zero,
                      TensorView<float> y) noexcept;

void DynamicQuantizeTensor(TensorView<const float> x, TensorView<std::uint8_t> y,
                           TensorView<float> y_scale, TensorView<std::uint8_t> y_zero) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_QUANTIZE_H_

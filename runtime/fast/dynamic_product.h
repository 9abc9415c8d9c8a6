// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products in f32 by oneDNN's matrix multiplication, which needs no preparation: for sizes
// known at run time only. Signatures and meaning are those of the kernels Linear and MatMul.
#ifndef DRAGOMAN_RUNTIME_FAST_DYNAMIC_PRODUCT_H_
#define DRAGOMAN_RUNTIME_FAST_DYNAMIC_PRODUCT_H_

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

Status DynamicLinear(TensorView<const float> x, TensorView<const float> weight,
                     TensorView<const float> bias, TensorView<float> y) noexcept;
Status DynamicMatMul(TensorView<const float> a, TensorView<const float> b,
                     TensorView<float> y) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_DYNAMIC_PRODUCT_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and LogSoftmax of f32 along any axis; fast along others than the last. Called as the
// plain kernels are.
#ifndef DRAGOMAN_RUNTIME_FAST_SOFTMAX_COLUMNS_H_
#define DRAGOMAN_RUNTIME_FAST_SOFTMAX_COLUMNS_H_

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/softmax.h"

namespace dragoman::rt {

void SoftmaxColumns(const SoftmaxParams& p, TensorView<const float> x,
                    TensorView<float> y) noexcept;
void LogSoftmaxColumns(const SoftmaxParams& p, TensorView<const float> x,
                       TensorView<float> y) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_SOFTMAX_COLUMNS_H_

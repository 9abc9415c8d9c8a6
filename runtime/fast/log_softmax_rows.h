// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LogSoftmax of rows of f32. Called as the plain kernel is.
#ifndef DRAGOMAN_RUNTIME_FAST_LOG_SOFTMAX_ROWS_H_
#define DRAGOMAN_RUNTIME_FAST_LOG_SOFTMAX_ROWS_H_

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/softmax.h"

namespace dragoman::rt {

// p.axis is the last one.
void LogSoftmaxRows(const SoftmaxParams& p, TensorView<const float> x,
                    TensorView<float> y) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_LOG_SOFTMAX_ROWS_H_

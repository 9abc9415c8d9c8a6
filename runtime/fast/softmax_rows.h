// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax of rows of f32. Called as the plain kernel is.
#ifndef DRAGOMAN_RUNTIME_FAST_SOFTMAX_ROWS_H_
#define DRAGOMAN_RUNTIME_FAST_SOFTMAX_ROWS_H_

#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/softmax.h"

namespace dragoman::rt {

// p.axis is the last one.
void SoftmaxRows(const SoftmaxParams& p, TensorView<const float> x, TensorView<float> y) noexcept;

// Softmax of rows of `size` floats that begin `stride` apart, in place, on the calling thread.
void SoftmaxInPlace(std::int64_t rows, std::int64_t size, std::int64_t stride, float* x) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_SOFTMAX_ROWS_H_

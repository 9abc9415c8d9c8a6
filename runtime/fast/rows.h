// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and normalisations of the rows of a tensor in f32: operators of ONNX along the last axis,
// each one pass over memory; Softmax along other axes as well. Called as the plain kernels are.
// What normalisations read and write may be in bf16.
#ifndef DRAGOMAN_RUNTIME_FAST_ROWS_H_
#define DRAGOMAN_RUNTIME_FAST_ROWS_H_

#include <cstdint>

#include "runtime/fast/half_tensors.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/layer_normalization.h"
#include "runtime/params/softmax.h"

namespace dragoman::rt {

// p.axis is the last one.
void SoftmaxRows(const SoftmaxParams& p, TensorView<const float> x, TensorView<float> y) noexcept;
void LogSoftmaxRows(const SoftmaxParams& p, TensorView<const float> x,
                    TensorView<float> y) noexcept;

// Along any axis; fast along others than the last.
void SoftmaxColumns(const SoftmaxParams& p, TensorView<const float> x,
                    TensorView<float> y) noexcept;
void LogSoftmaxColumns(const SoftmaxParams& p, TensorView<const float> x,
                       TensorView<float> y) noexcept;

// Softmax of rows of `size` floats that begin `stride` apart, in place, on the calling thread.
void SoftmaxInPlace(std::int64_t rows, std::int64_t size, std::int64_t stride, float* x) noexcept;

// Rows are along p.axis and all axes after it; scale and bias have one element for each of theirs;
// bias may be absent, mean and inv_std are.
void LayerNormalizationRows(const LayerNormalizationParams& p, const FloatSource& x,
                            TensorView<const float> scale, TensorView<const float> bias,
                            const FloatTarget& y, TensorView<float> mean,
                            TensorView<float> inv_std) noexcept;
void RMSNormalizationRows(const RMSNormalizationParams& p, const FloatSource& x,
                          TensorView<const float> scale, const FloatTarget& y) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_ROWS_H_

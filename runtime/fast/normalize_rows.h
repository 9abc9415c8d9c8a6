// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations of the rows of a tensor, each one pass over memory, called as the plain kernels
// are. What is read and written may be in bf16.
#ifndef DRAGOMAN_RUNTIME_FAST_NORMALIZE_ROWS_H_
#define DRAGOMAN_RUNTIME_FAST_NORMALIZE_ROWS_H_

#include "runtime/fast/half_tensors.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/layer_normalization.h"

namespace dragoman::rt {

// Rows are along p.axis and all axes after it; scale and bias have one element for each of theirs;
// bias may be absent, mean and inv_std are.
void LayerNormalizationRows(const LayerNormalizationParams& p, const FloatSource& x,
                            TensorView<const float> scale, TensorView<const float> bias,
                            const FloatTarget& y, TensorView<float> mean,
                            TensorView<float> inv_std) noexcept;
void RMSNormalizationRows(const RMSNormalizationParams& p, const FloatSource& x,
                          TensorView<const float> scale, const FloatTarget& y) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_NORMALIZE_ROWS_H_

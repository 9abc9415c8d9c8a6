// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on activations in blocks of channels (blocked_sizes.h).
#ifndef DRAGOMAN_RUNTIME_FAST_LAYOUT_H_
#define DRAGOMAN_RUNTIME_FAST_LAYOUT_H_

#include <cstdint>

#include "runtime/fast/blocked_sizes.h"
#include "runtime/fast/half_tensors.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// Copies a laid-out tensor to row-major order.
void CopyToRowMajor(std::int64_t block, const FloatSource& from, const FloatTarget& to) noexcept;

// Concatenates laid-out tensors along the channels. All but the last have whole blocks of channels.
void ConcatChannels(std::int64_t block, Views<const float> from, TensorView<float> to) noexcept;
void ConcatChannels(std::int64_t block, Views<const BFloat16> from,
                    TensorView<BFloat16> to) noexcept;

// y (N, C, 1...), row-major, is the mean or the maximum of x over the spatial axes. A NaN is the
// maximum.
void ChannelMeans(std::int64_t block, const FloatSource& x, TensorView<float> y) noexcept;
void ChannelMaxima(std::int64_t block, const FloatSource& x, TensorView<float> y) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_LAYOUT_H_

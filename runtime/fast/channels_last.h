// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images of 8-bit integers whose channels lie last: (N, spatial..., C) in memory, (N, C,
// spatial...) in their sizes.
#ifndef DRAGOMAN_RUNTIME_FAST_CHANNELS_LAST_H_
#define DRAGOMAN_RUNTIME_FAST_CHANNELS_LAST_H_

#include <cstdint>

#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// Which of a convolution's or pool's tensors lie channels last; the others are row-major.
struct ChannelsLast {
  bool x = false;
  bool y = false;
};

// The bytes of x in the other order.
void RowMajorToChannelsLast(TensorView<const std::uint8_t> x, TensorView<std::uint8_t> y) noexcept;
void ChannelsLastToRowMajor(TensorView<const std::uint8_t> x, TensorView<std::uint8_t> y) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_CHANNELS_LAST_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by a constant matrix of 2, 4 or 8 bits an element, of which each block of inputs has a
// scale and a zero point for each output. The matrix stays packed: some panels of it are widened at
// a time, to what the processor keeps close, and multiplied in f32.
#ifndef DRAGOMAN_RUNTIME_FAST_BLOCK_PRODUCT_H_
#define DRAGOMAN_RUNTIME_FAST_BLOCK_PRODUCT_H_

#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// The packed matrix consists of panels, the last one filled up. A panel has for each input
// kBlockWords words of 32 bits; word w holds outputs w, w + kBlockWords, ... of the panel, from its
// lowest bits on, so that vectors of words become vectors of numbers by shifts.
inline constexpr std::int64_t kBlockWords = 16;

struct BlockProductParams {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t bits = 4;
  std::int64_t block = 32;  // inputs
  float zero = 0.0f;        // the zero point of all, if there are none
};

// The outputs of a panel.
constexpr std::int64_t BlockPanel(std::int64_t bits) { return kBlockWords * 32 / bits; }

constexpr std::int64_t PaddedOutputs(const BlockProductParams& p) {
  const std::int64_t panel = BlockPanel(p.bits);
  return (p.outputs + panel - 1) / panel * panel;
}

// y (..., outputs) = x (..., inputs) · ((matrix - zeros) * scales) + bias. `scales` and `zeros`,
// which may be absent, are (blocks, PaddedOutputs); `bias`, which may be absent, has PaddedOutputs
// elements and is aligned to 64 bytes. Errors: x has another number of inputs.
Status BlockProduct(const BlockProductParams& p, TensorView<const float> x,
                    TensorView<const std::uint32_t> matrix, TensorView<const float> scales,
                    TensorView<const float> zeros, TensorView<const float> bias,
                    TensorView<float> y) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_BLOCK_PRODUCT_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of a few rows by a constant matrix in bf16, with sums in f32, by the processor's own
// instruction: what PanelProduct is in f32.
//
// Weights lie in panels of some vectors of outputs: for each pair of inputs one element after the
// other those of 16 outputs, two for each.
#ifndef DRAGOMAN_RUNTIME_FAST_HALF_PANELS_H_
#define DRAGOMAN_RUNTIME_FAST_HALF_PANELS_H_

#include <cstdint>

#include "runtime/fast/aligned_floats.h"
#include "runtime/kernels/float16.h"

namespace dragoman::rt {

class HalfPanels {
 public:
  // Whether the processor has the instruction; nothing else may be called if not.
  static bool Supported() noexcept;

  // Copies `weights` (outputs, inputs), rounded to bf16, for products of `rows` rows. Throws
  // std::bad_alloc.
  void Pack(const float* weights, std::int64_t outputs, std::int64_t inputs, std::int64_t rows);

  // y (rows, outputs) = x (rows, inputs), rounded to bf16, · weightsᵀ, on this thread; row-major.
  void RunRows(std::int64_t rows, const float* x, float* y) const noexcept;

 private:
  const BFloat16* panels() const { return reinterpret_cast<const BFloat16*>(panels_.get()); }

  AlignedFloats panels_;  // room for two elements each
  std::int64_t outputs_ = 0, inputs_ = 0;
  std::int64_t vectors_ = 0;  // of a panel; the last one is filled up with zeros
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_HALF_PANELS_H_

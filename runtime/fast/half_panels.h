// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by a constant matrix in bf16, with sums in f32, by the processor's own
// instruction: what PanelProduct is in f32.
//
// Weights lie in panels of some vectors of outputs: for each pair of inputs one element after the
// other those of 16 outputs, two for each.
#ifndef DRAGOMAN_RUNTIME_FAST_HALF_PANELS_H_
#define DRAGOMAN_RUNTIME_FAST_HALF_PANELS_H_

#include <cstdint>

#include <vector>

#include "runtime/fast/aligned_floats.h"
#include "runtime/fast/context.h"
#include "runtime/fast/post_ops.h"
#include "runtime/kernels/float16.h"

namespace dragoman::rt {

class HalfPanels {
 public:
  // Whether the processor has the instruction; nothing else may be called if not.
  static bool Supported() noexcept;

  // Like PanelProduct::Pack; weights are rounded to bf16.
  void Pack(const float* weights, std::int64_t out_stride, std::int64_t in_stride,
            const float* bias, std::int64_t outputs, std::int64_t inputs, std::int64_t rows,
            const PostOps& post = {}, const PackingOrigin& origin = {});

  // y (rows, outputs) = x (rows, inputs), rounded to bf16, · weightsᵀ + bias, and the post-ops, on
  // all threads; row-major. `residual`, which only they need, may be y. `scratch` has
  // ScratchBytes(rows) and is aligned to 64.
  void Run(std::int64_t rows, const float* x, const float* residual, float* y,
           void* scratch) const noexcept;
  std::int64_t ScratchBytes(std::int64_t rows) const noexcept;

  // A few rows on this thread, without bias and post-ops.
  void RunRows(std::int64_t rows, const float* x, float* y) const noexcept;

 private:
  const BFloat16* panels() const { return reinterpret_cast<const BFloat16*>(panels_.get()); }
  std::int64_t row_size() const { return (inputs_ + 1) / 2 * 2; }  // of rows that are rounded
  void Round(std::int64_t rows, const float* x, BFloat16* to) const noexcept;
  void RunPanel(std::int64_t first, std::int64_t rows, const BFloat16* x, const float* residual,
                float* y) const noexcept;
  void Finish(std::int64_t rows, std::int64_t first, const float* residual, float* sums,
              float* y) const noexcept;

  SharedFloats panels_;  // room for two elements each
  std::vector<float> bias_;
  PostOps post_;
  std::int64_t outputs_ = 0, inputs_ = 0;
  std::int64_t vectors_ = 0;  // of a panel; the last one is filled up with zeros
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_HALF_PANELS_H_

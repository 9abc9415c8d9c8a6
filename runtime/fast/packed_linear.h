// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product with constant weights in f32 or bf16 (Linear; Gemm and MatMul with a constant matrix)
// for any number of rows: what PreparedLinear is for one. Weights are packed once, for loops of our
// own.
#ifndef DRAGOMAN_RUNTIME_FAST_PACKED_LINEAR_H_
#define DRAGOMAN_RUNTIME_FAST_PACKED_LINEAR_H_

#include <cstdint>

#include "runtime/fast/context.h"
#include "runtime/fast/half_panels.h"
#include "runtime/fast/panel_product.h"
#include "runtime/fast/post_ops.h"
#include "runtime/fast/precision.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/status.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

class PackedLinear {
 public:
  // y (..., out) = x (..., in) · weight + bias, and the post-ops. `weights`, which lie as
  // (out, in), or with `in_first` as (in, out), and `bias` (may be null) are copied. Nothing of the
  // weights is empty.
  Status Init(const FastContext& context, std::int64_t in, std::int64_t out, bool in_first,
              const WeightData& weights, const float* bias, const PostOps& post) noexcept;

  // Row-major; if post.residual, residual has y's sizes and may be y itself. In bf16, the scratch
  // memory grows with the rows.
  Status Run(TensorView<const float> x, const float* residual, TensorView<float> y,
             Memory& scratch) const noexcept;
  const char* Implementation() const noexcept {
    return in_half_ ? "own panels, bf16" : "own panels";
  }

 private:
  std::int64_t out_ = 0;
  PanelProduct panels_;
  HalfPanels half_;  // in their place
  bool in_half_ = false;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_PACKED_LINEAR_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product with constant weights in f32 or bf16 (Linear; Gemm and MatMul with a constant matrix),
// prepared for one number of rows: weights are packed once, for oneDNN or for a loop of our own.
#ifndef DRAGOMAN_RUNTIME_FAST_LINEAR_H_
#define DRAGOMAN_RUNTIME_FAST_LINEAR_H_

#include <cstdint>

#include "runtime/fast/context.h"
#include "runtime/fast/half_tensors.h"
#include "runtime/fast/own_linear.h"
#include "runtime/fast/pimpl.h"
#include "runtime/fast/post_ops.h"
#include "runtime/fast/precision.h"

namespace dragoman::rt {

class PreparedLinear {
 public:
  // Nothing empty.
  static bool Supports(const LinearSizes& sizes);

  // `weights` and `bias` (out elements; may be null) are copied.
  Status Init(const FastContext& context, const LinearSizes& sizes, const WeightData& weights,
              const float* bias, const PostOps& post, const ElementTypes& types = {}) noexcept;

  // Row-major x, y and, if post.residual, residual (of y's sizes; may be y itself), of such element
  // types as Init was given. `scratch` has ScratchBytes() and is aligned to 64.
  Status Run(const void* x, const void* residual, void* y, void* scratch) noexcept;
  std::int64_t ScratchBytes() const noexcept;
  // The implementation that was chosen.
  const char* Implementation() const noexcept;

 private:
  struct Impl;
  Pimpl<Impl> impl_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_LINEAR_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ConvTranspose in f32 by products of our own, prepared for one shape: weights are laid out once.
#ifndef DRAGOMAN_RUNTIME_FAST_CONV_TRANSPOSE_H_
#define DRAGOMAN_RUNTIME_FAST_CONV_TRANSPOSE_H_

#include <cstdint>

#include "runtime/fast/context.h"
#include "runtime/fast/pimpl.h"
#include "runtime/fast/post_ops.h"
#include "runtime/fast/precision.h"
#include "runtime/params/conv_transpose.h"

namespace dragoman::rt {

class PreparedConvTranspose {
 public:
  // 1 to 3 spatial axes, nothing empty.
  static bool Supports(const ConvTransposeParams& p, const Shape& x, const Shape& w);

  // `weights` (of sizes w) and `bias` (may be null) are copied.
  Status Init(const FastContext& context, const ConvTransposeParams& p, const Shape& x,
              const Shape& w, const WeightData& weights, const float* bias,
              const PostOps& post) noexcept;

  // Row-major x, y and, if post.residual, residual (of y's sizes; may be y itself). `scratch` has
  // ScratchBytes() and is aligned to 64.
  Status Run(const float* x, const float* residual, float* y, void* scratch) noexcept;
  std::int64_t ScratchBytes() const noexcept;
  // For profiles.
  const char* Implementation() const noexcept;

 private:
  struct Impl;
  Pimpl<Impl> impl_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_CONV_TRANSPOSE_H_

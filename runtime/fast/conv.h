// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conv in f32 or bf16, prepared for one shape: weights are laid out once, for oneDNN or for
// Winograd's algorithm.
#ifndef DRAGOMAN_RUNTIME_FAST_CONV_H_
#define DRAGOMAN_RUNTIME_FAST_CONV_H_

#include <cstdint>

#include "runtime/fast/blocked_sizes.h"
#include "runtime/fast/context.h"
#include "runtime/fast/half_tensors.h"
#include "runtime/fast/own_conv.h"
#include "runtime/fast/pimpl.h"
#include "runtime/fast/post_ops.h"
#include "runtime/fast/precision.h"
#include "runtime/params/conv.h"

namespace dragoman::rt {

enum class ConvMethod {
  kFastest,
  kDirect,  // sums of products: the errors of other methods are some times larger
};

class PreparedConv {
 public:
  // 1 to 3 spatial axes, nothing empty.
  static bool Supports(const ConvParams& p, const Shape& x, const Shape& w);

  // `weights` (of sizes w) and `bias` (may be null) are copied. `few_outputs` is MakeFewOutputs
  // (few_outputs.h) where that may be faster.
  Status Init(const FastContext& context, const ConvParams& p, const Shape& x, const Shape& w,
              const WeightData& weights, const float* bias, const PostOps& post,
              const Blocks& blocks = {}, const ElementTypes& types = {},
              ConvMethod method = ConvMethod::kFastest,
              OwnConvMaker few_outputs = nullptr) noexcept;

  // x, y and, if post.residual, residual, which has y's sizes and layout and may be y itself; of
  // such element types as Init was given. `scratch` has ScratchBytes() and is aligned to 64.
  Status Run(const void* x, const void* residual, void* y, void* scratch) noexcept;
  std::int64_t ScratchBytes() const noexcept;
  // The implementation that was chosen.
  const char* Implementation() const noexcept;

 private:
  struct Impl;
  Pimpl<Impl> impl_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_CONV_H_

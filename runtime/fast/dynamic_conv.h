// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conv in f32, for sizes of images known only at run time: what is prepared for
// sizes that were seen lately is kept.
#ifndef DRAGOMAN_RUNTIME_FAST_DYNAMIC_CONV_H_
#define DRAGOMAN_RUNTIME_FAST_DYNAMIC_CONV_H_

#include "runtime/fast/context.h"
#include "runtime/fast/conv.h"
#include "runtime/fast/shape_cache.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

class DynamicConv {
 public:
  // `weights` (of sizes w) and `bias` (may be null) are read in later calls too, as is `context`.
  Status Init(const FastContext& context, const ConvParams& p, const Shape& w, const float* weights,
              const float* bias, const PostOps& post, ConvMethod method = ConvMethod::kFastest,
              OwnConvMaker few_outputs = nullptr) noexcept;

  // y has the sizes that ConvShape gives. x, y and, if post.residual, residual, which may be y, lie
  // as `blocks` says: always the same ones. Primitives for sizes that were not seen lately are made
  // first, and the scratch memory grows for them.
  Status Run(TensorView<const float> x, const float* residual, TensorView<float> y, Memory& scratch,
             const Blocks& blocks = {}) noexcept;

 private:
  // What each preparation is given, apart from the sizes of x.
  const FastContext* context_ = nullptr;
  ConvParams p_;
  Shape w_;
  const float* weights_ = nullptr;
  const float* bias_ = nullptr;
  PostOps post_;
  ConvMethod method_ = ConvMethod::kFastest;
  OwnConvMaker few_outputs_ = nullptr;
  ShapeCache<PreparedConv> cache_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_DYNAMIC_CONV_H_

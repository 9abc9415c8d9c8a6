// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ConvTranspose in f32, for sizes of images known only at run time.
#ifndef DRAGOMAN_RUNTIME_FAST_DYNAMIC_CONV_TRANSPOSE_H_
#define DRAGOMAN_RUNTIME_FAST_DYNAMIC_CONV_TRANSPOSE_H_

#include "runtime/fast/context.h"
#include "runtime/fast/conv_transpose.h"
#include "runtime/fast/tap_product.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

// Of row-major tensors, by weights that are packed once for all sizes.
class DynamicConvTranspose {
 public:
  // Images of any sizes, if it does those of sizes x.
  static bool Supports(const ConvTransposeParams& p, const Shape& x, const Shape& w);

  // `weights` and `bias` are copied.
  Status Init(const FastContext& context, const ConvTransposeParams& p, const Shape& w,
              const float* weights, const float* bias, const PostOps& post) noexcept;
  Status Run(TensorView<const float> x, const float* residual, TensorView<float> y,
             Memory& scratch) noexcept;

 private:
  ConvTransposeParams p_;
  Shape w_;
  TapProduct product_;
  Shape sizes_;  // of x, that product_ has
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_DYNAMIC_CONV_TRANSPOSE_H_

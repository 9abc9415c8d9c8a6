// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of few outputs as transposed ones with their taps in reverse: there a vector is of
// elements of the image, where in oneDNN's code it would be of outputs, most of which do not exist.
#ifndef DRAGOMAN_RUNTIME_FAST_FEW_OUTPUTS_H_
#define DRAGOMAN_RUNTIME_FAST_FEW_OUTPUTS_H_

#include <cstdint>

#include "runtime/fast/post_ops.h"
#include "runtime/fast/tap_product.h"
#include "runtime/params/shape.h"
#include "runtime/params/window.h"

namespace dragoman::rt {

class FewOutputs {
 public:
  // Whether it applies to weights of sizes w (M, C, kernel…), and is faster: each element of the
  // image is multiplied by all taps, whether or not they reach a result, and one in blocks of
  // `x_block` channels is brought to rows first, for which a single tap does not make up.
  static bool Supports(const Window& window, std::int64_t group, const Shape& w,
                       std::int64_t x_block);

  // x is (N, C, places…). Weights and bias (may be null) are copied. Throws std::bad_alloc.
  FewOutputs(const Window& window, const Shape& x, const Shape& w, const float* weights,
             const float* bias, const PostOps& post);

  // Tensors are row-major; `residual` is read if the operator adds one.
  void Run(const float* x, const float* residual, float* y, void* scratch) const noexcept {
    product_.Run(x, residual, y, scratch);
  }
  std::int64_t ScratchBytes() const noexcept { return product_.ScratchBytes(); }

 private:
  TapProduct product_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_FEW_OUTPUTS_H_

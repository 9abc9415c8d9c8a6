// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions in f32 by loops of our own that few programs need: those hand a maker to the
// operator, so that others need not compile them.
#ifndef DRAGOMAN_RUNTIME_FAST_OWN_CONV_H_
#define DRAGOMAN_RUNTIME_FAST_OWN_CONV_H_

#include <cstdint>
#include <memory>

#include "runtime/fast/post_ops.h"
#include "runtime/params/shape.h"
#include "runtime/params/window.h"

namespace dragoman::rt {

struct OwnConvLayer {
  const Window& window;
  std::int64_t group;
  const Shape& x;  // (N, C, places…)
  const Shape& w;  // (M, C / group, kernel…)
  std::int64_t
      x_block;  // channels of a block of the image, as it lies before it is brought to rows
  const float* weights;
  const float* bias;  // may be null
  const PostOps& post;
};

class OwnConv {
 public:
  virtual ~OwnConv() = default;

  // Tensors are row-major; `residual` is read if the operator adds one. `scratch` has
  // ScratchBytes() and is aligned to 64.
  virtual void Run(const float* x, const float* residual, float* y,
                   void* scratch) const noexcept = 0;
  virtual std::int64_t ScratchBytes() const noexcept = 0;
};

// Copies weights and bias; null where it does not apply, or is not faster. Throws std::bad_alloc.
using OwnConvMaker = std::unique_ptr<OwnConv> (*)(const OwnConvLayer& layer);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_OWN_CONV_H_

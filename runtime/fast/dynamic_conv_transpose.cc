// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/dynamic_conv_transpose.h"

#include <exception>

#include "runtime/params/guarded.h"

namespace dragoman::rt {

bool DynamicConvTranspose::Supports(const ConvTransposeParams& p, const Shape& x, const Shape& w) {
  return PreparedConvTranspose::Supports(p, x, w);
}

Status DynamicConvTranspose::Init(const FastContext& context, const ConvTransposeParams& p,
                                  const Shape& w, const float* weights, const float* bias,
                                  const PostOps& post) noexcept {
  p_ = p;
  w_ = w;
  DRAGOMAN_RT_GUARDED { product_.Pack(w, p.group, weights, bias, post, {&context, weights}); }
  DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("out of memory"); }
  return Status();
}

Status DynamicConvTranspose::Run(TensorView<const float> x, const float* residual,
                                 TensorView<float> y, Memory& scratch) noexcept {
  if (y.size() == 0) return Status();
  if (!(sizes_ == x.shape)) {
    Window window;
    DRAGOMAN_RT_TRY(ConvTransposeWindow(p_, x.shape, w_, &window));
    DRAGOMAN_RT_GUARDED { product_.Resize(x.shape, window); }
    DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("out of memory"); }
    sizes_ = x.shape;
  }
  DRAGOMAN_RT_TRY(scratch.Reserve(product_.ScratchBytes()));
  product_.Run(x.data, residual, y.data, scratch.data());
  return Status();
}

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/dynamic_conv.h"

#include <utility>

namespace dragoman::rt {

Status DynamicConv::Init(const FastContext& context, const ConvParams& p, const Shape& w,
                         const float* weights, const float* bias, const PostOps& post,
                         ConvMethod method, OwnConvMaker few_outputs) noexcept {
  context_ = &context;
  p_ = p;
  w_ = w;
  weights_ = weights;
  bias_ = bias;
  post_ = post;
  method_ = method;
  few_outputs_ = few_outputs;
  return Status();
}

Status DynamicConv::Run(TensorView<const float> x, const float* residual, TensorView<float> y,
                        Memory& scratch, const Blocks& blocks) noexcept {
  if (y.size() == 0) {
    if (blocks.y != nullptr && *blocks.y == 0) *blocks.y = kRowMajor;
    return Status();
  }
  PreparedConv* conv = cache_.Find(x.shape);
  if (conv == nullptr) {
    PreparedConv made;
    DRAGOMAN_RT_TRY(made.Init(*context_, p_, x.shape, w_, weights_, bias_, post_, blocks, {},
                              method_, few_outputs_));
    conv = cache_.Insert(x.shape, std::move(made));
  }
  DRAGOMAN_RT_TRY(scratch.Reserve(conv->ScratchBytes()));
  return conv->Run(x.data, residual, y.data, scratch.data());
}

}  // namespace dragoman::rt

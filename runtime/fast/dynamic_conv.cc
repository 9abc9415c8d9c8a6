// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/dynamic_conv.h"

#include <exception>
#include <utility>

#include "runtime/params/guarded.h"

namespace dragoman::rt {

Status DynamicConv::Init(const FastContext& context, const ConvParams& p, const Shape& w,
                         const float* weights, const float* bias, const PostOps& post,
                         ConvMethod method) noexcept {
  arguments_ = {&context, p, w, weights, bias, post};
  method_ = method;
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
    const auto& [context, p, w, weights, bias, post] = arguments_;
    DRAGOMAN_RT_TRY(made.Init(*context, p, x.shape, w, weights, bias, post, blocks, {}, method_));
    conv = cache_.Insert(x.shape, std::move(made));
  }
  DRAGOMAN_RT_TRY(scratch.Reserve(conv->ScratchBytes()));
  return conv->Run(x.data, residual, y.data, scratch.data());
}

bool DynamicConvTranspose::Supports(const ConvTransposeParams& p, const Shape& x, const Shape& w) {
  Window window;
  if (TapProduct::Suits(p, w)) return ConvTransposeWindow(p, x, w, &window).ok();
  return p.auto_pad == AutoPad::kNotSet && p.output_shape.empty() &&
         PreparedConvTranspose::Supports(p, x, w);
}

Status DynamicConvTranspose::Init(const FastContext& context, const ConvTransposeParams& p,
                                  const Shape& w, const float* weights, const float* bias,
                                  const PostOps& post) noexcept {
  arguments_ = {&context, p, w, weights, bias, post};
  own_ = TapProduct::Suits(p, w);
  if (!own_) return Status();
  DRAGOMAN_RT_GUARDED { product_.Pack(w, weights, bias, post); }
  DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("out of memory"); }
  return Status();
}

Status DynamicConvTranspose::RunProduct(TensorView<const float> x, const float* residual,
                                        TensorView<float> y, Memory& scratch) noexcept {
  if (!(sizes_ == x.shape)) {
    Window window;
    DRAGOMAN_RT_TRY(ConvTransposeWindow(arguments_.p, x.shape, arguments_.w, &window));
    DRAGOMAN_RT_GUARDED { product_.Resize(x.shape, window); }
    DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("out of memory"); }
    sizes_ = x.shape;
  }
  DRAGOMAN_RT_TRY(scratch.Reserve(product_.ScratchBytes()));
  product_.Run(x.data, residual, y.data, scratch.data());
  return Status();
}

Status DynamicConvTranspose::Run(TensorView<const float> x, const float* residual,
                                 TensorView<float> y, Memory& scratch) noexcept {
  if (y.size() == 0) return Status();
  if (own_) return RunProduct(x, residual, y, scratch);
  PreparedConvTranspose* conv = cache_.Find(x.shape);
  if (conv == nullptr) {
    PreparedConvTranspose made;
    const auto& [context, p, w, weights, bias, post] = arguments_;
    DRAGOMAN_RT_TRY(made.Init(*context, p, x.shape, w, weights, bias, post));
    conv = cache_.Insert(x.shape, std::move(made));
  }
  DRAGOMAN_RT_TRY(scratch.Reserve(conv->ScratchBytes()));
  return conv->Run(x.data, residual, y.data, scratch.data());
}

}  // namespace dragoman::rt

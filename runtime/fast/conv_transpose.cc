// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/conv_transpose.h"

#include <exception>
#include <utility>

#include "runtime/fast/lookout.h"
#include "runtime/fast/tap_product.h"
#include "runtime/fast/wide_weights.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {

struct PreparedConvTranspose::Impl {
  TapProduct product;
  Lookout lookout;
};

bool PreparedConvTranspose::Supports(const ConvTransposeParams& p, const Shape& x, const Shape& w) {
  Window window;
  return x.size() >= 3 && x.size() <= 5 && NumElements(x) > 0 && NumElements(w) > 0 &&
         ConvTransposeWindow(p, x, w, &window).ok();
}

Status PreparedConvTranspose::Init(const FastContext& context, const ConvTransposeParams& p,
                                   const Shape& x, const Shape& w, const WeightData& weights,
                                   const float* bias, const PostOps& post) noexcept {
  Window window;
  DRAGOMAN_RT_TRY(ConvTransposeWindow(p, x, w, &window));
  Shape y;
  DRAGOMAN_RT_TRY(ConvTransposeShape(p, x, w, &y));
  DRAGOMAN_RT_GUARDED {
    auto impl = Pimpl<Impl>::Make();
    impl->product.Pack(w, p.group, WideWeights(weights, NumElements(w)).data(), bias, post,
                       {&context, weights.data});
    impl->product.Resize(x, window);
    impl->lookout.Create(context, post, NumElements(x), NumElements(y));
    impl_ = std::move(impl);
  }
  DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("out of memory"); }
  return Status();
}

Status PreparedConvTranspose::Run(const float* x, const float* residual, float* y,
                                  void* scratch) noexcept {
  impl_->lookout.Run(x, residual);
  impl_->product.Run(x, residual, y, scratch);
  return Status();
}

const char* PreparedConvTranspose::Implementation() const noexcept { return "own panels"; }

std::int64_t PreparedConvTranspose::ScratchBytes() const noexcept {
  return impl_->product.ScratchBytes();
}

}  // namespace dragoman::rt

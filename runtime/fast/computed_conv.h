// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conv in f32 by weights that the program computes: laid out anew in each call.
#ifndef DRAGOMAN_RUNTIME_FAST_COMPUTED_CONV_H_
#define DRAGOMAN_RUNTIME_FAST_COMPUTED_CONV_H_

#include "runtime/fast/context.h"
#include "runtime/fast/conv.h"
#include "runtime/fast/finite.h"
#include "runtime/kernels/conv.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

class ComputedConv {
 public:
  // `context` is used in later calls too.
  Status Init(const FastContext& context, const ConvParams& p,
              ConvMethod method = ConvMethod::kFastest,
              OwnConvMaker few_outputs = nullptr) noexcept {
    context_ = &context;
    p_ = p;
    method_ = method;
    few_outputs_ = few_outputs;
    return Status();
  }

  // y has the sizes that ConvShape gives; an absent bias has no data. Primitives are made, or found
  // among those that oneDNN keeps, and the scratch memory grows.
  Status Run(TensorView<const float> x, TensorView<const float> w, TensorView<const float> bias,
             TensorView<float> y, Memory& scratch) noexcept {
    if (y.size() == 0) return Status();
    // Winograd's algorithm would spread an infinite weight over all results of its channel.
    const ConvMethod method = AllFinite(w.data, w.size()) ? method_ : ConvMethod::kDirect;
    PreparedConv conv;
    const bool fits = PreparedConv::Supports(p_, x.shape, w.shape) &&
                      conv.Init(*context_, p_, x.shape, w.shape, w.data, bias.data, {}, {}, {},
                                method, few_outputs_)
                          .ok();
    if (!fits) {
      Conv<float>(p_, x, w, bias, y);
      return Status();
    }
    DRAGOMAN_RT_TRY(scratch.Reserve(conv.ScratchBytes()));
    return conv.Run(x.data, nullptr, y.data, scratch.data());
  }

 private:
  const FastContext* context_ = nullptr;
  ConvParams p_;
  ConvMethod method_ = ConvMethod::kFastest;
  OwnConvMaker few_outputs_ = nullptr;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_COMPUTED_CONV_H_

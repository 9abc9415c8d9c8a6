#include "runtime/fast/dynamic_conv.h"

#include <utility>

#include "runtime/kernels/conv.h"

namespace dragoman::rt {

Status DynamicConv::Run(const FastContext& context, Memory& scratch, const ConvParams& p,
                        TensorView<const float> x, TensorView<const float> w,
                        TensorView<const float> b, TensorView<float> y) noexcept {
  if (!PreparedConv::Supports(p, x.shape, w.shape)) {
    Conv<float>(p, x, w, b, y);
    return Status();
  }
  PreparedConv* conv = cache_.Find(x.shape);
  if (conv == nullptr) {
    PreparedConv made;
    DRAGOMAN_RT_TRY(made.Init(context, p, x.shape, w.shape, w.data, b.data, PostOps{}));
    conv = cache_.Insert(x.shape, std::move(made));
  }
  DRAGOMAN_RT_TRY(scratch.Reserve(conv->ScratchBytes()));
  return conv->Run(x.data, nullptr, y.data, scratch.data());
}

}  // namespace dragoman::rt

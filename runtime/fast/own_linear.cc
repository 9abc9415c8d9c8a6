// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/own_linear.h"

#include <exception>
#include <utility>

#include "runtime/fast/lookout.h"
#include "runtime/fast/panel_product.h"
#include "runtime/fast/wide_weights.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {

struct OwnLinear::Impl {
  PanelProduct panels;
  WideCopies copies;
  Lookout lookout;
};

Status OwnLinear::Init(const FastContext& context, const LinearSizes& sizes,
                       const WeightData& weights, const float* bias, const PostOps& post,
                       const ElementTypes& types) noexcept {
  DRAGOMAN_RT_GUARDED {
    auto impl = Pimpl<Impl>::Make();
    const WideWeights wide(weights, sizes.in * sizes.out);
    const std::int64_t x_size = sizes.rows * sizes.in, y_size = sizes.rows * sizes.out;
    impl->panels.Pack(wide.data(), sizes.in_first ? 1 : sizes.in, sizes.in_first ? sizes.out : 1,
                      bias, sizes.out, sizes.in, sizes.rows, post, {&context, weights.data});
    impl->lookout.Create(context, post, x_size, y_size);
    impl->copies.Create(types, x_size, y_size, impl->panels.ScratchBytes());
    impl_ = std::move(impl);
    return Status();
  }
  DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("out of memory"); }
}

Status OwnLinear::Run(const void* x, const void* residual, void* y, void* scratch) noexcept {
  return impl_->copies.Run(
      x, residual, y, scratch, [&](const void* from, const void* added, void* to) {
        const auto* operand = static_cast<const float*>(from);
        const auto* wide_added = static_cast<const float*>(added);
        impl_->lookout.Run(operand, wide_added);
        impl_->panels.Run(operand, wide_added, static_cast<float*>(to), scratch);
        return Status();
      });
}

std::int64_t OwnLinear::ScratchBytes() const noexcept { return impl_->copies.ScratchBytes(); }

}  // namespace dragoman::rt

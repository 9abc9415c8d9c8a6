// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/lookout.h"

#include "runtime/fast/finite.h"

namespace dragoman::rt {

void Lookout::Create(const FastContext& context, const PostOps& post, std::int64_t x_size,
                     std::int64_t y_size) {
  if (post.activation == FusedActivation::kNone || post.trusts_operands) return;
  context_ = &context;
  residual_ = post.residual;
  x_size_ = x_size;
  y_size_ = y_size;
}

void Lookout::Run(const float* x, const float* residual) const noexcept {
  if (context_ == nullptr) return;
  if (!AllFinite(x, x_size_) || (residual_ && !AllFinite(residual, y_size_))) context_->NoteNan();
}

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/packed_linear.h"

#include <exception>

#include "runtime/params/guarded.h"

namespace dragoman::rt {

Status PackedLinear::Init(const FastContext&, std::int64_t in, std::int64_t out, bool in_first,
                          const float* weights, const float* bias, const PostOps& post) noexcept {
  out_ = out;
  DRAGOMAN_RT_GUARDED {
    panels_.Pack(weights, in_first ? 1 : in, in_first ? out : 1, bias, out, in,
                 PanelProduct::kAnyRows, post);
  }
  DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("out of memory"); }
  return Status();
}

Status PackedLinear::Run(TensorView<const float> x, const float* residual, TensorView<float> y,
                         Memory& scratch) const noexcept {
  if (y.size() == 0) return Status();
  DRAGOMAN_RT_TRY(scratch.Reserve(panels_.ScratchBytes()));
  panels_.Run(y.size() / out_, x.data, residual, y.data, scratch.data());
  return Status();
}

}  // namespace dragoman::rt

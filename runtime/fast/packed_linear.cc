// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/packed_linear.h"

#include <exception>

#include "runtime/fast/wide_weights.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {

Status PackedLinear::Init(const FastContext& context, std::int64_t in, std::int64_t out,
                          bool in_first, const WeightData& weights, const float* bias,
                          const PostOps& post) noexcept {
  out_ = out;
  in_half_ = weights.precision == Precision::kBF16 && HalfPanels::Supported();
  DRAGOMAN_RT_GUARDED {
    const WideWeights wide(weights, in * out);
    const auto pack = [&](auto& panels) {
      panels.Pack(wide.data(), in_first ? 1 : in, in_first ? out : 1, bias, out, in,
                  PanelProduct::kAnyRows, post, {&context, weights.data});
    };
    in_half_ ? pack(half_) : pack(panels_);
  }
  DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("out of memory"); }
  return Status();
}

Status PackedLinear::Run(TensorView<const float> x, const float* residual, TensorView<float> y,
                         Memory& scratch) const noexcept {
  if (y.size() == 0) return Status();
  const std::int64_t rows = y.size() / out_;
  DRAGOMAN_RT_TRY(scratch.Reserve(in_half_ ? half_.ScratchBytes(rows) : panels_.ScratchBytes()));
  in_half_ ? half_.Run(rows, x.data, residual, y.data, scratch.data())
           : panels_.Run(rows, x.data, residual, y.data, scratch.data());
  return Status();
}

}  // namespace dragoman::rt

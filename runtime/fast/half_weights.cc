// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/half_weights.h"

#include <algorithm>

namespace dragoman::rt {
namespace {

// oneDNN may be told to leave it alone (ONEDNN_MAX_CPU_ISA).
bool HandlesBFloat16() {
  return HasArithmetic(Precision::kBF16) && dnnl_compat::Uses(dnnl::cpu_isa::avx512_core_bf16);
}

}  // namespace

ElementType ProductType(Precision precision) {
  const bool half = precision == Precision::kBF16 && HandlesBFloat16();
  return half ? ElementType::bf16 : ElementType::f32;
}

ElementTypes LackingHere(const ElementTypes& types) {
  return HandlesBFloat16() ? ElementTypes() : types;
}

WideWeights::WideWeights(const WeightData& weights, std::int64_t count)
    : data_(static_cast<const float*>(weights.data)) {
  if (weights.precision == Precision::kF32) return;
  copy_.resize(static_cast<std::size_t>(count));
  data_ = copy_.data();
  if (weights.precision == Precision::kBF16) {
    std::copy_n(static_cast<const BFloat16*>(weights.data), count, copy_.begin());
  } else {
    std::copy_n(static_cast<const Half*>(weights.data), count, copy_.begin());
  }
}

}  // namespace dragoman::rt

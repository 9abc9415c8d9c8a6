// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/half_weights.h"

namespace dragoman::rt {
namespace {

// oneDNN may be asked to leave it alone (ONEDNN_MAX_CPU_ISA).
bool HandlesBFloat16() {
  return HasArithmetic(Precision::kBF16) && dnnl_compat::Uses(dnnl::cpu_isa::avx512_core_bf16);
}

}  // namespace

DataType ProductType(Precision precision) {
  const bool half = precision == Precision::kBF16 && HandlesBFloat16();
  return half ? DataType::bf16 : DataType::f32;
}

ElementTypes LackingHere(const ElementTypes& types) {
  return HandlesBFloat16() ? ElementTypes() : types;
}

}  // namespace dragoman::rt

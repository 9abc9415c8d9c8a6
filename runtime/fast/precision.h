// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of prepared operators in f32, or in half of its size.
#ifndef DRAGOMAN_RUNTIME_FAST_PRECISION_H_
#define DRAGOMAN_RUNTIME_FAST_PRECISION_H_

#include <cstddef>

#include "runtime/kernels/float16.h"

namespace dragoman::rt {

enum class Precision { kF32, kBF16, kF16 };

constexpr const char* Name(Precision precision) {
  constexpr const char* kNames[] = {"f32", "bf16", "f16"};
  return kNames[static_cast<int>(precision)];
}

// Whether products are computed in it here. Elsewhere weights are widened to f32 when an operator
// is prepared, and products computed in f32: emulation would only be slower.
bool HasArithmetic(Precision precision) noexcept;
// One line on standard error if not.
void WarnWithoutArithmetic(Precision precision) noexcept;

// The weights that an operator is prepared with; null if there are none.
struct WeightData {
  const void* data = nullptr;
  Precision precision = Precision::kF32;

  WeightData(std::nullptr_t) {}
  WeightData(const float* values) : data(values) {}
  WeightData(const BFloat16* values) : data(values), precision(Precision::kBF16) {}
  WeightData(const Half* values) : data(values), precision(Precision::kF16) {}
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_PRECISION_H_

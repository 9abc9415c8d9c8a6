#include "runtime/fast/half_weights.h"

#include <algorithm>

namespace dragoman::rt {

ElementType ProductType(Precision precision) {
  const bool half = precision == Precision::kBF16 && HasArithmetic(precision);
  return half ? ElementType::bf16 : ElementType::f32;
}

ElementTypes LackingHere(const ElementTypes& types) {
  return HasArithmetic(Precision::kBF16) ? ElementTypes() : types;
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

#include "runtime/fast/half_weights.h"

#include <algorithm>

namespace dragoman::rt {

dnnl::memory::data_type ProductType(Precision precision) {
  const bool half = precision == Precision::kBF16 && HasArithmetic(precision);
  return half ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
}

dnnl::memory::desc AnyDesc(const dnnl::memory::dims& sizes, dnnl::memory::data_type type) {
  return dnnl::memory::desc(sizes, type, dnnl::memory::format_tag::any);
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/wide_weights.h"

#include <algorithm>

namespace dragoman::rt {

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

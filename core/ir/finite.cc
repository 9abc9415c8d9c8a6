// SPDX-License-Identifier: Apache-2.0
#include "core/ir/finite.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

bool AllFinite(const Tensor& tensor) {
  if (!IsFloating(tensor.dtype())) return true;
  if (tensor.dtype() == DType::kF32)
    return std::ranges::all_of(tensor.data<float>(), [](float x) { return std::isfinite(x); });
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (!std::isfinite(tensor.FloatAt(i))) return false;
  }
  return true;
}

}  // namespace dragoman

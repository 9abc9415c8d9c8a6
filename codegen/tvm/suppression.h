// SPDX-License-Identifier: Apache-2.0
// How TVM's all_class_non_max_suppression reads its thresholds.
#ifndef DRAGOMAN_CODEGEN_TVM_SUPPRESSION_H_
#define DRAGOMAN_CODEGEN_TVM_SUPPRESSION_H_

#include <algorithm>
#include <cmath>
#include <limits>

namespace dragoman::tvm {

// ONNX suppresses boxes whose overlap is above the threshold, TVM those whose overlap reaches it;
// of a threshold of 0 TVM gives no box.
constexpr float kLeastOverlap = std::numeric_limits<float>::min();
inline float LeastOverlapAbove(double threshold) {
  const auto above = std::nextafter(static_cast<float>(threshold), 2.0f);
  return std::max(above, kLeastOverlap);
}
// t + t * kStep is the float above t.
constexpr float kStep = 0x1.8p-24f;
// Floats count as far as this.
constexpr float kMostBoxes = 0x1p24f;

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_SUPPRESSION_H_

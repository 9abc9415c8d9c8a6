// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DRAGOMAN_RUNTIME_FAST_WIDE_WEIGHTS_H_
#define DRAGOMAN_RUNTIME_FAST_WIDE_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "runtime/fast/precision.h"

namespace dragoman::rt {

// Weights in f32: themselves, or a widened copy.
class WideWeights {
 public:
  // `count` elements. Throws std::bad_alloc.
  WideWeights(const WeightData& weights, std::int64_t count);

  const float* data() const { return data_; }

 private:
  std::vector<float> copy_;
  const float* data_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_WIDE_WEIGHTS_H_

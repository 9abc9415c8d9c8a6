// SPDX-License-Identifier: Apache-2.0
// A softmax that gives zeros to what it is undefined for, as attention with masks does.
#ifndef DRAGOMAN_CORE_ANALYSIS_GUARDED_SOFTMAX_H_
#define DRAGOMAN_CORE_ANALYSIS_GUARDED_SOFTMAX_H_

#include <cstdint>

#include "core/ir/graph.h"

namespace dragoman {

// Where(guard, 0, Softmax(x)); none if `softmax` is nullptr.
struct GuardedSoftmax {
  enum class Guard : std::uint8_t {
    kHiddenRows,  // max(x) = -inf, along the axis of the Softmax
    kNan,         // the Softmax is NaN
  };

  const Node* softmax = nullptr;
  Guard guard = Guard::kHiddenRows;
};

GuardedSoftmax ReadGuardedSoftmax(const Node& where);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_GUARDED_SOFTMAX_H_

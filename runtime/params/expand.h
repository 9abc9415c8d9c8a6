// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of Expand.
#ifndef DRAGOMAN_RUNTIME_PARAMS_EXPAND_H_
#define DRAGOMAN_RUNTIME_PARAMS_EXPAND_H_

#include <algorithm>
#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Broadcasts both ways: the result may be larger than `shape` says.
constexpr Status ExpandShape(const Shape& input, IntSpan shape, Shape* output) {
  Shape wanted;
  DRAGOMAN_RT_TRY(ShapeFromSpan(shape, &wanted));
  const int rank = std::max(input.size(), wanted.size());
  *output = Shape();
  for (int i = 0; i < rank; ++i) {
    const int from_input = i - (rank - input.size());
    const int from_wanted = i - (rank - wanted.size());
    const std::int64_t a = from_input < 0 ? 1 : input[from_input];
    const std::int64_t b = from_wanted < 0 ? 1 : wanted[from_wanted];
    if (a != b && a != 1 && b != 1) return Status::Error("the sizes do not broadcast");
    output->push_back(a == 1 ? b : a);
  }
  return CheckSizes(*output);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_EXPAND_H_

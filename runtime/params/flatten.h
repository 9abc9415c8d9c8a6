// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of Flatten.
#ifndef DRAGOMAN_RUNTIME_PARAMS_FLATTEN_H_
#define DRAGOMAN_RUNTIME_PARAMS_FLATTEN_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// The axis lies in [-rank, rank].
struct FlattenParams {
  std::int64_t axis = 1;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
  }
};

constexpr Status FlattenShape(const FlattenParams& p, const Shape& input, Shape* output) {
  const int rank = input.size();
  if (p.axis < -rank || p.axis > rank) return Status::Error("an axis is out of range");
  const int axis = WrapAxis(p.axis, rank);
  *output = {ProductOfSizes(input, 0, axis), ProductOfSizes(input, axis, rank)};
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_FLATTEN_H_

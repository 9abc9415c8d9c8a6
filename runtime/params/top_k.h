// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of TopK.
#ifndef DRAGOMAN_RUNTIME_PARAMS_TOP_K_H_
#define DRAGOMAN_RUNTIME_PARAMS_TOP_K_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

struct TopKParams {
  std::int64_t axis = -1;
  bool largest = true;
  bool sorted = true;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
    f("largest", self.largest);
    f("sorted", self.sorted);
  }
};

// The sizes of both results.
constexpr Status TopKShape(const TopKParams& p, const Shape& x, IntSpan k, Shape* values,
                           Shape* indices) {
  int axis = 0;
  DRAGOMAN_RT_TRY(ResolveAxis(p.axis, x.size(), &axis));
  if (k.size != 1) return Status::Error("k is not one number");
  if (k[0] < 0 || k[0] > x[axis]) return Status::Error("k is not within the size of the axis");
  *values = x;
  (*values)[axis] = k[0];
  *indices = *values;
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_TOP_K_H_

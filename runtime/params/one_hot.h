// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of OneHot.
#ifndef DRAGOMAN_RUNTIME_PARAMS_ONE_HOT_H_
#define DRAGOMAN_RUNTIME_PARAMS_ONE_HOT_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// The axis refers to the result, one longer than `indices`.
struct OneHotParams {
  std::int64_t axis = -1;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
  }
};

// `depth` holds one value; a floating depth is truncated by the caller.
constexpr Status OneHotShape(const OneHotParams& p, const Shape& indices, IntSpan depth,
                             Shape* output) {
  if (depth.size != 1) return Status::Error("depth is not a scalar");
  if (indices.size() >= kMaxRank) return Status::Error("the rank is too high");
  const int rank = indices.size() + 1;
  int axis = 0;
  DRAGOMAN_RT_TRY(ResolveAxis(p.axis, rank, &axis));
  *output = Shape();
  for (int i = 0; i < rank; ++i) {
    output->push_back(i == axis ? depth[0] : indices[i < axis ? i : i - 1]);
  }
  return CheckSizes(*output);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_ONE_HOT_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of Concat.
#ifndef DRAGOMAN_RUNTIME_PARAMS_CONCAT_H_
#define DRAGOMAN_RUNTIME_PARAMS_CONCAT_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

struct ConcatParams {
  std::int64_t axis = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
  }
};

// `inputs` points at `count` shapes, at least one. Of an input that has no elements along the axis
// the other sizes need not agree: ONNX Runtime accepts it, and files rely on that.
constexpr Status ConcatShape(const ConcatParams& p, const Shape* inputs, std::int64_t count,
                             Shape* result) {
  if (count < 1) return Status::Error("nothing to concatenate");
  *result = inputs[0];
  int axis = 0;
  DRAGOMAN_RT_TRY(ResolveAxis(p.axis, result->size(), &axis));
  for (std::int64_t i = 1; i < count; ++i) {
    if (inputs[i].size() != result->size()) return Status::Error("the ranks differ");
    if (inputs[i][axis] == 0) continue;
    if ((*result)[axis] == 0) {
      *result = inputs[i];
      continue;
    }
    for (int d = 0; d < result->size(); ++d) {
      if (d == axis) {
        DRAGOMAN_RT_TRY(CheckedAdd((*result)[d], inputs[i][d], &(*result)[d]));
      } else if (inputs[i][d] != (*result)[d]) {
        return Status::Error("sizes differ on an axis that is not concatenated");
      }
    }
  }
  return CheckSizes(*result);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_CONCAT_H_

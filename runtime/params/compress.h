// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of Compress.
#ifndef DRAGOMAN_RUNTIME_PARAMS_COMPRESS_H_
#define DRAGOMAN_RUNTIME_PARAMS_COMPRESS_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Without an axis the operand is flattened.
struct CompressParams {
  bool has_axis = false;
  std::int64_t axis = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("has_axis", self.has_axis);
    f("axis", self.axis);
  }
};

// `count` is CompressCount's.
constexpr Status CompressShape(const CompressParams& p, const Shape& input, std::int64_t count,
                               Shape* output) {
  *output = {count};
  if (!p.has_axis) return Status();
  int axis = 0;
  DRAGOMAN_RT_TRY(ResolveAxis(p.axis, input.size(), &axis));
  *output = input;
  (*output)[axis] = count;
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_COMPRESS_H_

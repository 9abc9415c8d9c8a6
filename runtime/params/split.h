// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of Split.
#ifndef DRAGOMAN_RUNTIME_PARAMS_SPLIT_H_
#define DRAGOMAN_RUNTIME_PARAMS_SPLIT_H_

#include <algorithm>
#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// num_outputs 0 stands for an absent attribute.
struct SplitParams {
  std::int64_t axis = 0;
  std::int64_t num_outputs = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
    f("num_outputs", self.num_outputs);
  }
};

// The sizes of `count` results into `outputs`. Without split, equal parts; where the size does not
// divide, the last part is smaller.
constexpr Status SplitShape(const SplitParams& p, const Shape& input, IntSpan split, Shape* outputs,
                            std::int64_t count) {
  int axis = 0;
  DRAGOMAN_RT_TRY(ResolveAxis(p.axis, input.size(), &axis));
  if (count < 1 || (split.data != nullptr && split.size != count)) {
    return Status::Error("split does not fit the number of results");
  }
  const std::int64_t part = input[axis] / count + (input[axis] % count != 0 ? 1 : 0);
  std::int64_t left = input[axis];
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t size = split.data != nullptr ? split[i] : std::min(part, left);
    if (size < 0 || size > left) return Status::Error("split does not add up to the size");
    outputs[i] = input;
    outputs[i][axis] = size;
    left -= size;
  }
  return left == 0 ? Status() : Status::Error("split does not add up to the size");
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_SPLIT_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of ArgMax and ArgMin.
#ifndef DRAGOMAN_RUNTIME_PARAMS_ARG_REDUCE_H_
#define DRAGOMAN_RUNTIME_PARAMS_ARG_REDUCE_H_

#include <cstdint>

namespace dragoman::rt {

struct ArgReduceParams {
  std::int64_t axis = 0;
  bool keepdims = true;
  bool select_last_index = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
    f("keepdims", self.keepdims);
    f("select_last_index", self.select_last_index);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_ARG_REDUCE_H_

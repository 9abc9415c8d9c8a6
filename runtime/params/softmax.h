// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of Softmax, LogSoftmax and Hardmax.
#ifndef DRAGOMAN_RUNTIME_PARAMS_SOFTMAX_H_
#define DRAGOMAN_RUNTIME_PARAMS_SOFTMAX_H_

#include <cstdint>

namespace dragoman::rt {

struct SoftmaxParams {
  std::int64_t axis = -1;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_SOFTMAX_H_

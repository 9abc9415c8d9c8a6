// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of Trilu.
#ifndef DRAGOMAN_RUNTIME_PARAMS_TRILU_H_
#define DRAGOMAN_RUNTIME_PARAMS_TRILU_H_

namespace dragoman::rt {

struct TriluParams {
  bool upper = true;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("upper", self.upper);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_TRILU_H_

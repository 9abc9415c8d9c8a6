// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of IsInf.
#ifndef DRAGOMAN_RUNTIME_PARAMS_IS_INF_H_
#define DRAGOMAN_RUNTIME_PARAMS_IS_INF_H_

namespace dragoman::rt {

struct IsInfParams {
  bool detect_negative = true;
  bool detect_positive = true;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("detect_negative", self.detect_negative);
    f("detect_positive", self.detect_positive);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_IS_INF_H_

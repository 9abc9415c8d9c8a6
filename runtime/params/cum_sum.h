// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of CumSum.
#ifndef DRAGOMAN_RUNTIME_PARAMS_CUM_SUM_H_
#define DRAGOMAN_RUNTIME_PARAMS_CUM_SUM_H_

namespace dragoman::rt {

// exclusive: element i is the sum of those before i. reverse: sums run from the end.
struct CumSumParams {
  bool exclusive = false;
  bool reverse = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("exclusive", self.exclusive);
    f("reverse", self.reverse);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_CUM_SUM_H_

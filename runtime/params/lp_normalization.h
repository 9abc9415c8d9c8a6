// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of LpNormalization.
#ifndef DRAGOMAN_RUNTIME_PARAMS_LP_NORMALIZATION_H_
#define DRAGOMAN_RUNTIME_PARAMS_LP_NORMALIZATION_H_

#include <cstdint>

namespace dragoman::rt {

// `p` is 1 or 2.
struct LpNormalizationParams {
  std::int64_t axis = -1;
  std::int64_t p = 2;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
    f("p", self.p);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_LP_NORMALIZATION_H_

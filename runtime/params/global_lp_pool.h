// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of GlobalLpPool.
#ifndef DRAGOMAN_RUNTIME_PARAMS_GLOBAL_LP_POOL_H_
#define DRAGOMAN_RUNTIME_PARAMS_GLOBAL_LP_POOL_H_

#include <cstdint>

namespace dragoman::rt {

// p must be positive.
struct GlobalLpPoolParams {
  std::int64_t p = 2;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("p", self.p);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_GLOBAL_LP_POOL_H_

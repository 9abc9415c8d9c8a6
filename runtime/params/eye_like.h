// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of EyeLike; its dtype is the type of the result.
#ifndef DRAGOMAN_RUNTIME_PARAMS_EYE_LIKE_H_
#define DRAGOMAN_RUNTIME_PARAMS_EYE_LIKE_H_

#include <cstdint>

namespace dragoman::rt {

struct EyeLikeParams {
  std::int64_t k = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("k", self.k);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_EYE_LIKE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of GroupNormalization.
#ifndef DRAGOMAN_RUNTIME_PARAMS_GROUP_NORMALIZATION_H_
#define DRAGOMAN_RUNTIME_PARAMS_GROUP_NORMALIZATION_H_

#include <cstdint>

namespace dragoman::rt {

struct GroupNormalizationParams {
  float epsilon = 1e-5f;
  std::int64_t num_groups = 1;
  std::int64_t stash_type = 1;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("epsilon", self.epsilon);
    f("num_groups", self.num_groups);
    f("stash_type", self.stash_type);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_GROUP_NORMALIZATION_H_

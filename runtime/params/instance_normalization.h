// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of InstanceNormalization.
#ifndef DRAGOMAN_RUNTIME_PARAMS_INSTANCE_NORMALIZATION_H_
#define DRAGOMAN_RUNTIME_PARAMS_INSTANCE_NORMALIZATION_H_

namespace dragoman::rt {

struct InstanceNormalizationParams {
  float epsilon = 1e-5f;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("epsilon", self.epsilon);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_INSTANCE_NORMALIZATION_H_

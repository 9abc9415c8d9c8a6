// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of BatchNormalization.
#ifndef DRAGOMAN_RUNTIME_PARAMS_BATCH_NORMALIZATION_H_
#define DRAGOMAN_RUNTIME_PARAMS_BATCH_NORMALIZATION_H_

namespace dragoman::rt {

struct BatchNormalizationParams {
  float epsilon = 1e-5f;
  float momentum = 0.9f;
  bool training_mode = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("epsilon", self.epsilon);
    f("momentum", self.momentum);
    f("training_mode", self.training_mode);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_BATCH_NORMALIZATION_H_

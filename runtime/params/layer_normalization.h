// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of LayerNormalization and RMSNormalization.
#ifndef DRAGOMAN_RUNTIME_PARAMS_LAYER_NORMALIZATION_H_
#define DRAGOMAN_RUNTIME_PARAMS_LAYER_NORMALIZATION_H_

#include <cstdint>

namespace dragoman::rt {

// `stash_type` is a TensorProto.DataType: the least precise type in which statistics may be
// computed.
struct LayerNormalizationParams {
  std::int64_t axis = -1;
  float epsilon = 1e-5f;
  std::int64_t stash_type = 1;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
    f("epsilon", self.epsilon);
    f("stash_type", self.stash_type);
  }
};

using RMSNormalizationParams = LayerNormalizationParams;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_LAYER_NORMALIZATION_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of Dropout.
#ifndef DRAGOMAN_RUNTIME_PARAMS_DROPOUT_H_
#define DRAGOMAN_RUNTIME_PARAMS_DROPOUT_H_

#include <cstdint>

namespace dragoman::rt {

// In training mode; without the attribute `seed` masks come from the model's seed.
struct DropoutParams {
  bool has_seed = false;
  std::int64_t seed = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("has_seed", self.has_seed);
    f("seed", self.seed);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_DROPOUT_H_

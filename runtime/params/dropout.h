// Attributes of Dropout.
#ifndef DRAGOMAN_RUNTIME_PARAMS_DROPOUT_H_
#define DRAGOMAN_RUNTIME_PARAMS_DROPOUT_H_

#include <cstdint>

namespace dragoman::rt {

// `seed` has no meaning outside of training.
struct DropoutParams {
  std::int64_t seed = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("seed", self.seed);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_DROPOUT_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of operators that draw random numbers.
#ifndef DRAGOMAN_RUNTIME_PARAMS_RANDOM_H_
#define DRAGOMAN_RUNTIME_PARAMS_RANDOM_H_

#include <cstdint>

namespace dragoman::rt {

// Of RandomNormal, RandomUniform, their Like forms, Bernoulli and Multinomial. `first` is mean or
// low, `second` scale or high, where there are such. A node without the attribute `seed` draws from
// the model's seed; else `seed` are the bits of the attribute, a float.
struct RandomParams {
  float first = 0;
  float second = 1;
  bool has_seed = false;
  std::int64_t seed = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("first", self.first);
    f("second", self.second);
    f("has_seed", self.has_seed);
    f("seed", self.seed);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_RANDOM_H_

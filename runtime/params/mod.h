// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of Mod.
#ifndef DRAGOMAN_RUNTIME_PARAMS_MOD_H_
#define DRAGOMAN_RUNTIME_PARAMS_MOD_H_

namespace dragoman::rt {

// `fmod`: the result has the sign of the dividend, as in C; else of the divisor, as in Python.
struct ModParams {
  bool fmod = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("fmod", self.fmod);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_MOD_H_

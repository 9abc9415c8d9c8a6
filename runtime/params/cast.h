// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of Cast; the element types are those of its operand and result.
#ifndef DRAGOMAN_RUNTIME_PARAMS_CAST_H_
#define DRAGOMAN_RUNTIME_PARAMS_CAST_H_

namespace dragoman::rt {

struct CastParams {
  bool saturate = true;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("saturate", self.saturate);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_CAST_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of Base64Encode.
#ifndef DRAGOMAN_RUNTIME_PARAMS_BASE64_H_
#define DRAGOMAN_RUNTIME_PARAMS_BASE64_H_

namespace dragoman::rt {

struct Base64EncodeParams {
  bool pad = false;  // with '=', so that the length is a multiple of 4

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("pad", self.pad);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_BASE64_H_

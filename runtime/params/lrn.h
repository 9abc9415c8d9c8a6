// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of LRN.
#ifndef DRAGOMAN_RUNTIME_PARAMS_LRN_H_
#define DRAGOMAN_RUNTIME_PARAMS_LRN_H_

#include <cstdint>

namespace dragoman::rt {

// `size` is the number of channels summed over; ONNX has no default for it.
struct LRNParams {
  float alpha = 1e-4f;
  float beta = 0.75f;
  float bias = 1.0f;
  std::int64_t size = 1;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("alpha", self.alpha);
    f("beta", self.beta);
    f("bias", self.bias);
    f("size", self.size);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_LRN_H_

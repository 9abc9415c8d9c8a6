// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of QuantizeLinear and DequantizeLinear.
#ifndef DRAGOMAN_RUNTIME_PARAMS_QUANTIZE_LINEAR_H_
#define DRAGOMAN_RUNTIME_PARAMS_QUANTIZE_LINEAR_H_

#include <cstdint>

namespace dragoman::rt {

// `block_size` 0 stands for one scale in all or one per axis; `output_dtype`, a
// TensorProto.DataType, repeats the type of the result; `saturate` matters for 8-bit floats.
struct QuantizeLinearParams {
  std::int64_t axis = 1;
  std::int64_t block_size = 0;
  std::int64_t output_dtype = 0;
  bool saturate = true;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
    f("block_size", self.block_size);
    f("output_dtype", self.output_dtype);
    f("saturate", self.saturate);
  }
};

struct DequantizeLinearParams {
  std::int64_t axis = 1;
  std::int64_t block_size = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
    f("block_size", self.block_size);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_QUANTIZE_LINEAR_H_

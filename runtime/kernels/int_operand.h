// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer operands of either width as the spans that the functions in params take.
#ifndef DRAGOMAN_RUNTIME_KERNELS_INT_OPERAND_H_
#define DRAGOMAN_RUNTIME_KERNELS_INT_OPERAND_H_

#include <cstdint>

#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// The first kCapacity entries of an operand; no more can be valid.
template <class Tind>
class IntOperand {
 public:
  explicit IntOperand(TensorView<const Tind> view) : present_(view.present()) {
    if (!present_) return;
    const std::int64_t size = view.size();
    for (std::int64_t i = 0; i < size && i < Ints::kCapacity; ++i) values_.push_back(view[i]);
  }
  // An absent operand is a span without data.
  IntSpan span() const { return {present_ ? values_.data() : nullptr, values_.size()}; }

 private:
  bool present_;
  Ints values_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_INT_OPERAND_H_

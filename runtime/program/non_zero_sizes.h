// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of NonZero's result, from its operand.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_NON_ZERO_SIZES_H_
#define DRAGOMAN_RUNTIME_PROGRAM_NON_ZERO_SIZES_H_

#include <cstdint>

#include "runtime/kernels/non_zero.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

template <class T>
Status NonZeroSizes(TensorView<const T> x, Shape* y) {
  *y = {x.rank(), NonZeroCount<T>(x)};
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_NON_ZERO_SIZES_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of SplitText's results, from its operands.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_SPLIT_TEXT_SIZES_H_
#define DRAGOMAN_RUNTIME_PROGRAM_SPLIT_TEXT_SIZES_H_

#include "runtime/kernels/split_text.h"

namespace dragoman::rt {

template <class T>
Status SplitTextSizes(const SplitTextParams& p, TensorView<const T> x,
                      TensorView<const T> separator, Shape* pieces, Shape* counts) {
  *counts = x.shape;
  return SplitTextShape(x.shape, SplitTextMost<T>(p, x, separator), pieces);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_SPLIT_TEXT_SIZES_H_

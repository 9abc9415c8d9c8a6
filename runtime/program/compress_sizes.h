// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of Compress's result, from its operands.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_COMPRESS_SIZES_H_
#define DRAGOMAN_RUNTIME_PROGRAM_COMPRESS_SIZES_H_

#include <cstdint>

#include "runtime/kernels/compress.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

template <class T>
Status CompressSizes(const CompressParams& p, TensorView<const T> input,
                     TensorView<const bool> condition, Shape* output) {
  DRAGOMAN_RT_TRY(CompressShape(p, input.shape, 0, output));
  return CompressShape(p, input.shape, CompressCount<T>(p, input, condition), output);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_COMPRESS_SIZES_H_

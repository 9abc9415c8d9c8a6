// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of Range's result, from its operands.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_RANGE_SIZES_H_
#define DRAGOMAN_RUNTIME_PROGRAM_RANGE_SIZES_H_

#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/range.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

template <class T>
Status RangeSizes(TensorView<const T> start, TensorView<const T> limit, TensorView<const T> delta,
                  Shape* output) {
  return RangeShape(static_cast<Compute<T>>(start[0]), static_cast<Compute<T>>(limit[0]),
                    static_cast<Compute<T>>(delta[0]), output);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_RANGE_SIZES_H_

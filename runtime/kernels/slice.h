// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slice: elements at regular steps along chosen axes.
#ifndef DRAGOMAN_RUNTIME_KERNELS_SLICE_H_
#define DRAGOMAN_RUNTIME_KERNELS_SLICE_H_

#include "runtime/kernels/int_operand.h"
#include "runtime/kernels/strided_copy.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/slice.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Fails when the operands do not give the sizes of `output`.
template <class T, class Tind>
Status Slice(TensorView<const T> data, TensorView<const Tind> starts, TensorView<const Tind> ends,
             TensorView<const Tind> axes, TensorView<const Tind> steps, TensorView<T> output) {
  SliceRegion region;
  DRAGOMAN_RT_TRY(ResolveSlice(data.shape, IntOperand(starts).span(), IntOperand(ends).span(),
                               IntOperand(axes).span(), IntOperand(steps).span(), &region));
  if (region.sizes != output.shape) return Status::Error("the result of a slice has other sizes");
  if (output.size() == 0) return Status();
  const Shape from = Strides(data.shape);
  Ints sizes, strides;
  const T* first = data.data;
  for (int i = 0; i < data.rank(); ++i) {
    first += region.starts[i] * from[i];
    sizes.push_back(region.sizes[i]);
    // A single element is not stepped from, and the step may be as large as 64 bits allow.
    strides.push_back(region.sizes[i] == 1 ? 0 : region.steps[i] * from[i]);
  }
  StridedCopy(first, sizes, strides, output.data);
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_SLICE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GatherElements: each index replaces its own position along the axis.
#ifndef DRAGOMAN_RUNTIME_KERNELS_GATHER_ELEMENTS_H_
#define DRAGOMAN_RUNTIME_KERNELS_GATHER_ELEMENTS_H_

#include <cstdint>

#include "runtime/kernels/index.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/gather.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// `indices` may be smaller than `data` on the other axes. Fails on an index outside [-size, size).
template <class T, class Tind>
Status GatherElements(const GatherParams& p, TensorView<const T> data,
                      TensorView<const Tind> indices, TensorView<T> output) {
  return ForEachIndexedElement(p.axis, data.shape, indices,
                               [from = data.data, to = output.data](
                                   std::int64_t i, std::int64_t place) { to[i] = from[place]; });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_GATHER_ELEMENTS_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ScatterElements: writes each update to its own position, replaced along the axis by an index.
#ifndef DRAGOMAN_RUNTIME_KERNELS_SCATTER_ELEMENTS_H_
#define DRAGOMAN_RUNTIME_KERNELS_SCATTER_ELEMENTS_H_

#include <cstdint>

#include "runtime/kernels/copy.h"
#include "runtime/kernels/index.h"
#include "runtime/kernels/scatter_reduction.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/scatter.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Updates apply in order, so without reduction the last of equal positions stays. T is the real
// element type where there is a reduction, else a storage type serves. `output` may have the memory
// of `data`. Fails on an index outside [-size, size).
template <class T, class Tind>
Status ScatterElements(const ScatterElementsParams& p, TensorView<const T> data,
                       TensorView<const Tind> indices, TensorView<const T> updates,
                       TensorView<T> output) {
  Copy(data, output);
  return WithReduction<T>(p.reduction, [&](auto reduce) {
    return ForEachIndexedElement(
        p.axis, data.shape, indices,
        [=, from = updates.data, to = output.data](std::int64_t i, std::int64_t place) {
          to[place] = reduce(to[place], from[i]);
        });
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_SCATTER_ELEMENTS_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ScatterND: writes slices of `updates` to places addressed by several indices each.
#ifndef DRAGOMAN_RUNTIME_KERNELS_SCATTER_ND_H_
#define DRAGOMAN_RUNTIME_KERNELS_SCATTER_ND_H_

#include <cstdint>

#include "runtime/kernels/copy.h"
#include "runtime/kernels/index.h"
#include "runtime/kernels/scatter_reduction.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/scatter.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

namespace internal {

// A function of its own, so that compilers see no aliases and use vectors.
template <class T, class Reduce>
void ReduceRun(const T* from, std::int64_t count, Reduce reduce, T* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = reduce(to[i], from[i]);
}

}  // namespace internal

// Order, T and aliasing as for ScatterElements. Fails on an index outside [-size, size).
template <class T>
Status ScatterND(const ScatterNdParams& p, TensorView<const T> data,
                 TensorView<const std::int64_t> indices, TensorView<const T> updates,
                 TensorView<T> output) {
  Copy(data, output);
  const Shape strides = Strides(data.shape);
  const int last = indices.rank() - 1;
  const std::int64_t depth = indices.shape[last];
  const std::int64_t count = ProductOfSizes(indices.shape, 0, last);
  const std::int64_t run = ProductOfSizes(data.shape, static_cast<int>(depth), data.rank());
  return WithReduction<T>(p.reduction, [&](auto reduce) {
    const T* from = updates.data;
    for (std::int64_t i = 0; i < count; ++i, from += run) {
      std::int64_t offset = 0;
      DRAGOMAN_RT_TRY(OffsetOf(indices.data + i * depth, depth, data.shape, strides, 0, &offset));
      internal::ReduceRun(from, run, reduce, output.data + offset);
    }
    return Status();
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_SCATTER_ND_H_

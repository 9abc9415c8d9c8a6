// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gather: rows of `data` along an axis, chosen by index.
#ifndef DRAGOMAN_RUNTIME_KERNELS_GATHER_H_
#define DRAGOMAN_RUNTIME_KERNELS_GATHER_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/index.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/gather.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Fails on an index outside [-size, size).
template <class T, class Tind>
Status Gather(const GatherParams& p, TensorView<const T> data, TensorView<const Tind> indices,
              TensorView<T> output) {
  const int axis = WrapAxis(p.axis, data.rank());
  const std::int64_t outer = ProductOfSizes(data.shape, 0, axis);
  const std::int64_t size = data.shape[axis];
  const std::int64_t run = ProductOfSizes(data.shape, axis + 1, data.rank());
  const std::int64_t count = indices.size();
  T* to = output.data;
  for (std::int64_t o = 0; o < outer; ++o) {
    const T* from = data.data + o * size * run;
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t index = 0;
      if (!WrapIndex(indices[i], size, &index)) return IndexOutOfRange();
      std::copy_n(from + index * run, run, to);
      to += run;
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_GATHER_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GatherND: slices of `data` addressed by several indices each.
#ifndef DRAGOMAN_RUNTIME_KERNELS_GATHER_ND_H_
#define DRAGOMAN_RUNTIME_KERNELS_GATHER_ND_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/index.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/gather.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Fails on an index outside [-size, size).
template <class T>
Status GatherND(const GatherNdParams& p, TensorView<const T> data,
                TensorView<const std::int64_t> indices, TensorView<T> output) {
  const int batch = static_cast<int>(p.batch_dims);
  const Shape strides = Strides(data.shape);
  const int last = indices.rank() - 1;
  const std::int64_t depth = indices.shape[last];
  const std::int64_t batches = ProductOfSizes(data.shape, 0, batch);
  const std::int64_t batch_size = ProductOfSizes(data.shape, batch, data.rank());
  const std::int64_t per_batch = ProductOfSizes(indices.shape, batch, last);
  const std::int64_t run = ProductOfSizes(data.shape, batch + static_cast<int>(depth), data.rank());
  const std::int64_t* at = indices.data;
  T* to = output.data;
  for (std::int64_t b = 0; b < batches; ++b) {
    for (std::int64_t i = 0; i < per_batch; ++i, at += depth, to += run) {
      std::int64_t offset = 0;
      DRAGOMAN_RT_TRY(OffsetOf(at, depth, data.shape, strides, batch, &offset));
      std::copy_n(data.data + b * batch_size + offset, run, to);
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_GATHER_ND_H_

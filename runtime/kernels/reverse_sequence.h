// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ReverseSequence: reverses the first sequence_lens[b] steps of batch entry b.
#ifndef DRAGOMAN_RUNTIME_KERNELS_REVERSE_SEQUENCE_H_
#define DRAGOMAN_RUNTIME_KERNELS_REVERSE_SEQUENCE_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/reverse_sequence.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Fails on a length outside [0, time].
template <class T>
Status ReverseSequence(const ReverseSequenceParams& p, TensorView<const T> input,
                       TensorView<const std::int64_t> sequence_lens, TensorView<T> y) {
  const int time_axis = static_cast<int>(p.time_axis), batch_axis = 1 - time_axis;
  const std::int64_t times = input.shape[time_axis], batches = input.shape[batch_axis];
  const std::int64_t run = ProductOfSizes(input.shape, 2, input.rank());
  const std::int64_t time_stride = time_axis == 0 ? batches * run : run;
  const std::int64_t batch_stride = time_axis == 0 ? run : times * run;
  for (std::int64_t b = 0; b < batches; ++b) {
    const std::int64_t length = sequence_lens[b];
    if (length < 0 || length > times) return Status::Error("a sequence length is out of range");
    for (std::int64_t t = 0; t < times; ++t) {
      const std::int64_t source = t < length ? length - 1 - t : t;
      std::copy_n(input.data + b * batch_stride + source * time_stride, run,
                  y.data + b * batch_stride + t * time_stride);
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_REVERSE_SEQUENCE_H_

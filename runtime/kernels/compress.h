// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compress: the slices along an axis whose condition is true.
#ifndef DRAGOMAN_RUNTIME_KERNELS_COMPRESS_H_
#define DRAGOMAN_RUNTIME_KERNELS_COMPRESS_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/compress.h"

namespace dragoman::rt {

namespace internal {

// The tensor as (outer, size, run), cut along `size`.
struct CompressLayout {
  std::int64_t outer, size, run;

  CompressLayout(const CompressParams& p, const Shape& input)
      : outer(1), size(NumElements(input)), run(1) {
    if (!p.has_axis) return;
    const int axis = WrapAxis(p.axis, input.size());
    outer = ProductOfSizes(input, 0, axis);
    size = input[axis];
    run = ProductOfSizes(input, axis + 1, input.size());
  }
};

}  // namespace internal

// The number of slices kept. A condition may be shorter than the axis: the rest is dropped; what
// is longer is ignored.
template <class T>
std::int64_t CompressCount(const CompressParams& p, TensorView<const T> input,
                           TensorView<const bool> condition) {
  const std::int64_t size = internal::CompressLayout(p, input.shape).size;
  return std::count(condition.data, condition.data + std::min(size, condition.size()), true);
}

template <class T>
void Compress(const CompressParams& p, TensorView<const T> input, TensorView<const bool> condition,
              TensorView<T> output) {
  const internal::CompressLayout layout(p, input.shape);
  const std::int64_t limit = std::min(layout.size, condition.size());
  T* to = output.data;
  for (std::int64_t o = 0; o < layout.outer; ++o) {
    const T* from = input.data + o * layout.size * layout.run;
    for (std::int64_t i = 0; i < limit; ++i) {
      if (condition[i]) to = std::copy_n(from + i * layout.run, layout.run, to);
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_COMPRESS_H_

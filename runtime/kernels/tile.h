// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile: repeats the tensor along every axis. The result's sizes say how often; the repeats operand
// is not read.
#ifndef DRAGOMAN_RUNTIME_KERNELS_TILE_H_
#define DRAGOMAN_RUNTIME_KERNELS_TILE_H_

#include <cstdint>

#include "runtime/kernels/strided_copy.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

template <class T>
void Tile(TensorView<const T> input, TensorView<const std::int64_t> /*repeats*/,
          TensorView<T> output) {
  if (output.size() == 0) return;
  const Shape from = Strides(input.shape);
  Ints sizes, strides;
  for (int i = 0; i < input.rank(); ++i) {
    sizes.push_back(output.shape[i] / input.shape[i]);
    strides.push_back(0);
    sizes.push_back(input.shape[i]);
    strides.push_back(from[i]);
  }
  StridedCopy(input.data, sizes, strides, output.data);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_TILE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// EyeLike: ones on diagonal k of a matrix, zeros elsewhere.
#ifndef DRAGOMAN_RUNTIME_KERNELS_EYE_LIKE_H_
#define DRAGOMAN_RUNTIME_KERNELS_EYE_LIKE_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/eye_like.h"

namespace dragoman::rt {

// Only the sizes of the operand matter, which `output` has too. T2 is the real type of the result.
template <class T1, class T2>
void EyeLike(const EyeLikeParams& p, TensorView<const T1> /*input*/, TensorView<T2> output) {
  std::fill_n(output.data, output.size(), static_cast<T2>(0));
  const std::int64_t rows = output.shape[0], columns = output.shape[1];
  if (p.k <= -rows || p.k >= columns) return;
  for (std::int64_t row = std::max<std::int64_t>(-p.k, 0); row < rows; ++row) {
    if (row + p.k < columns) output[row * columns + row + p.k] = static_cast<T2>(1);
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_EYE_LIKE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NonZero: the positions of the elements that are not zero.
#ifndef DRAGOMAN_RUNTIME_KERNELS_NON_ZERO_H_
#define DRAGOMAN_RUNTIME_KERNELS_NON_ZERO_H_

#include <cstdint>
#include <string>
#include <type_traits>

#include "runtime/kernels/element.h"
#include "runtime/kernels/position.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

namespace internal {

// -0 is zero, NaN is not; a string is zero when it is empty.
template <class T>
bool IsNonZero(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return !value.empty();
  } else {
    return static_cast<Compute<T>>(value) != Compute<T>(0);
  }
}

}  // namespace internal

// The number of columns of NonZero's result. T is the real element type.
template <class T>
std::int64_t NonZeroCount(TensorView<const T> x) {
  std::int64_t count = 0;
  const std::int64_t size = x.size();
  for (std::int64_t i = 0; i < size; ++i) count += internal::IsNonZero(x[i]);
  return count;
}

// y is (rank, count): column by column the positions, in row-major order. A scalar has rank 0.
template <class T>
void NonZero(TensorView<const T> x, TensorView<std::int64_t> y) {
  Position position(x.shape, x.shape);
  const std::int64_t count = y.shape[1];
  const std::int64_t size = x.size();
  std::int64_t column = 0;
  for (std::int64_t i = 0; i < size; ++i, position.Next()) {
    if (!internal::IsNonZero(x[i])) continue;
    for (int axis = 0; axis < x.rank(); ++axis) y[axis * count + column] = position[axis];
    ++column;
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_NON_ZERO_H_

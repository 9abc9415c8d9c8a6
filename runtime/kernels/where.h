// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where: x where the condition holds, else y, with NumPy's broadcasting of all three.
#ifndef DRAGOMAN_RUNTIME_KERNELS_WHERE_H_
#define DRAGOMAN_RUNTIME_KERNELS_WHERE_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/elementwise.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

namespace internal {

// The last axis of Where: each operand advances by 0 or 1. A loop each, for the vectoriser.
template <bool kMovesX, bool kMovesY, class T>
void SelectRow(const bool* condition, const T* x, const T* y, T* output, std::int64_t n) {
  const T fixed_x = *x, fixed_y = *y;
  // Compilers make no vectors of bool.
  const auto* chosen = reinterpret_cast<const unsigned char*>(condition);
  for (std::int64_t i = 0; i < n; ++i) {
    const T a = kMovesX ? x[i] : fixed_x, b = kMovesY ? y[i] : fixed_y;
    output[i] = chosen[i] != 0 ? a : b;
  }
}

template <class T>
void CopyRow(const T* x, bool moves, T* output, std::int64_t n) {
  if (moves) {
    std::copy_n(x, n, output);
  } else {
    std::fill_n(output, n, *x);
  }
}

}  // namespace internal

// Moves elements: T is of their size.
template <class T>
void Where(TensorView<const bool> condition, TensorView<const T> x, TensorView<const T> y,
           TensorView<T> output) {
  if (output.size() == 0) return;
  const BroadcastPlan<3> plan(output.shape, {&condition.shape, &x.shape, &y.shape});
  const std::int64_t n = plan.sizes.back();
  const bool c_moves = plan.strides[0].back() != 0;
  const bool x_moves = plan.strides[1].back() != 0;
  const bool y_moves = plan.strides[2].back() != 0;
  const auto select =
      x_moves   ? y_moves ? internal::SelectRow<true, true, T> : internal::SelectRow<true, false, T>
        : y_moves ? internal::SelectRow<false, true, T>
                : internal::SelectRow<false, false, T>;
  T* out = output.data;
  plan.ForEachRow([&](const std::int64_t* offsets) {
    const bool* c = condition.data + offsets[0];
    const T* a = x.data + offsets[1];
    const T* b = y.data + offsets[2];
    if (c_moves) {
      select(c, a, b, out, n);
    } else {
      internal::CopyRow(*c ? a : b, *c ? x_moves : y_moves, out, n);
    }
    out += n;
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_WHERE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trilu: keeps the upper or lower triangle of the last two axes, zeros the rest.
#ifndef DRAGOMAN_RUNTIME_KERNELS_TRILU_H_
#define DRAGOMAN_RUNTIME_KERNELS_TRILU_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/trilu.h"

namespace dragoman::rt {

// Upper keeps column - row >= k, lower column - row <= k; an absent k is 0.
template <class T>
void Trilu(const TriluParams& p, TensorView<const T> input, TensorView<const std::int64_t> k,
           TensorView<T> output) {
  const std::int64_t rows = input.shape[input.rank() - 2];
  const std::int64_t columns = input.shape[input.rank() - 1];
  const std::int64_t diagonal =
      std::clamp<std::int64_t>(k.present() ? k[0] : 0, -rows - 1, columns + 1);
  const std::int64_t lines = columns == 0 ? 0 : input.size() / columns;
  for (std::int64_t line = 0; line < lines; ++line) {
    const std::int64_t edge = line % rows + diagonal + (p.upper ? 0 : 1);
    const std::int64_t cut = std::clamp<std::int64_t>(edge, 0, columns);
    const T* from = input.data + line * columns;
    T* to = output.data + line * columns;
    if (p.upper) {
      std::fill_n(to, cut, T{});
      std::copy(from + cut, from + columns, to + cut);
    } else {
      std::copy_n(from, cut, to);
      std::fill(to + cut, to + columns, T{});
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_TRILU_H_

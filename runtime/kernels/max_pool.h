// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MaxPool over 1 to 6 spatial axes, with the indices of the maxima.
#ifndef DRAGOMAN_RUNTIME_KERNELS_MAX_POOL_H_
#define DRAGOMAN_RUNTIME_KERNELS_MAX_POOL_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/pool_rows.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/max_pool.h"

namespace dragoman::rt {

namespace internal {

// True if `candidate` replaces `best`: it is greater, or a NaN.
template <class T>
bool Exceeds(T candidate, T best) {
  const Compute<T> c = candidate;
  const Compute<T> b = best;
  return c > b || c != c;
}

// The number of the element at row-major `offset` of a plane if the first axis is innermost.
inline std::int64_t FirstAxisInnermost(const Window& window, std::int64_t offset) {
  std::int64_t number = 0;
  std::int64_t step = window.InputSize();
  for (int i = window.rank - 1; i >= 0; --i) {
    const std::int64_t size = window.axes[i].input;
    step /= size;
    number += offset % size * step;
    offset /= size;
  }
  return number;
}

}  // namespace internal

// x is (N, C, spatial...). `indices`, which may be absent, numbers each maximum's element in the
// whole of x, within its plane by storage_order; of equal elements the first counts. A NaN wins.
// The maximum of a window without elements is LowestValue, its index that of the plane's first
// element.
template <class T>
void MaxPool(const MaxPoolParams& p, TensorView<const T> x, TensorView<T> y,
             TensorView<std::int64_t> indices) {
  constexpr std::int64_t kBlock = 64;
  Window window;
  if (!MaxPoolWindow(p, x.shape, &window).ok()) return;
  const PoolRows pool(window);
  const std::int64_t in_plane = window.InputSize();
  const std::int64_t row_size = pool.row_size();
  const std::int64_t rows = x.shape[0] * x.shape[1] * pool.rows();
  std::int64_t best[kBlock];
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t plane = i / pool.rows() * in_plane;
    T* result = y.data + i * row_size;
    std::fill_n(result, row_size, LowestValue<T>());
    for (std::int64_t first = 0; first < row_size; first += kBlock) {
      const std::int64_t last = std::min(row_size, first + kBlock);
      std::fill_n(best, kBlock, std::int64_t{-1});
      pool.ForEachTap(i % pool.rows(), first, last, [&](const PoolTap& tap) {
        for (std::int64_t o = tap.begin; o < tap.end; ++o) {
          const std::int64_t at = tap.offset + o * tap.step;
          const T element = x[plane + at];
          const bool wins = best[o - first] < 0 || internal::Exceeds(element, result[o]);
          result[o] = wins ? element : result[o];
          best[o - first] = wins ? at : best[o - first];
        }
      });
      for (std::int64_t o = first; indices.present() && o < last; ++o) {
        const std::int64_t at = std::max<std::int64_t>(best[o - first], 0);
        indices[i * row_size + o] =
            plane + (p.storage_order == 0 ? at : internal::FirstAxisInnermost(window, at));
      }
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_MAX_POOL_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LRN: y = x / (bias + alpha / size * s)^beta, with s the sum of x^2 over the `size` channels (axis
// 1) around each, floor((size - 1) / 2) before it and ceil((size - 1) / 2) after it.
#ifndef DRAGOMAN_RUNTIME_KERNELS_LRN_H_
#define DRAGOMAN_RUNTIME_KERNELS_LRN_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "runtime/kernels/axis_loop.h"
#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/lrn.h"

namespace dragoman::rt {

// y does not overlap x.
template <class T>
void LRN(const LRNParams& p, TensorView<const T> x, TensorView<T> y) {
  using C = Compute<T>;
  if (y.size() == 0) return;
  const AxisLoop loop(x.shape, 1);
  const C factor = static_cast<C>(p.alpha) / static_cast<C>(p.size);
  const std::int64_t before = (p.size - 1) / 2;
  const std::int64_t after = p.size - 1 - before;
  for (std::int64_t row = 0; row < loop.outer * loop.size; ++row) {
    const std::int64_t c = row % loop.size;
    const std::int64_t first = c - std::min(c, before);
    const std::int64_t last = c + std::min(loop.size - 1 - c, after);
    for (std::int64_t i = 0; i < loop.inner; ++i) {
      const T* column = x.data + (row - c) * loop.inner + i;
      C squares = 0;
      for (std::int64_t k = first; k <= last; ++k) {
        const C v = Widen(column[k * loop.inner]);
        squares += v * v;
      }
      const C base = static_cast<C>(p.bias) + factor * squares;
      const C value = Widen(column[c * loop.inner]);
      y[row * loop.inner + i] = static_cast<T>(value / std::pow(base, static_cast<C>(p.beta)));
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_LRN_H_

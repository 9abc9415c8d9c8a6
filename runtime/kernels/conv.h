// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conv: convolution (cross-correlation) over 1 to 6 spatial axes.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CONV_H_
#define DRAGOMAN_RUNTIME_KERNELS_CONV_H_

#include <cstdint>

#include "runtime/kernels/conv_loops.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/conv.h"

namespace dragoman::rt {

// x (N, C, spatial...), w (M, C / group, kernel...), b (M) or absent, y (N, M, spatial...). The
// bias is added to the sum before it is rounded to T.
template <class T>
void Conv(const ConvParams& p, TensorView<const T> x, TensorView<const T> w, TensorView<const T> b,
          TensorView<T> y) {
  using Sum = ProductSum<T>;
  Window window;
  if (!ConvWindow(p, x.shape, w.shape, &window).ok()) return;
  const ConvSizes sizes{x.shape[0], p.group, w.shape[1], w.shape[0] / p.group};
  const auto load_x = [&](std::int64_t, std::int64_t at) { return static_cast<Sum>(x[at]); };
  const auto load_w = [&](std::int64_t, std::int64_t at) { return static_cast<Sum>(w[at]); };
  const auto store = [&](std::int64_t channel, std::int64_t at, Sum sum) {
    if (b.present()) sum += static_cast<Sum>(b[channel]);
    y[at] = static_cast<T>(static_cast<Compute<T>>(sum));
  };
  ConvLoops<Sum, decltype(load_x), decltype(load_w), decltype(store)>(window, sizes, load_x, load_w,
                                                                      store)
      .Run();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CONV_H_

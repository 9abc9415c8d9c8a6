// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ConvInteger: Conv of 8-bit integers less their zero points, in int32.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CONV_INTEGER_H_
#define DRAGOMAN_RUNTIME_KERNELS_CONV_INTEGER_H_

#include <cstdint>

#include "runtime/kernels/conv_loops.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/conv.h"

namespace dragoman::rt {

// Calls store(result channel, offset in y, int32 sum). w_zero_point has one element or one a result
// channel; an absent zero point is 0. Padding stands for x's zero point.
template <class T1, class T2, class Store>
void ConvolveIntegers(const ConvParams& p, TensorView<const T1> x, TensorView<const T2> w,
                      TensorView<const T1> x_zero_point, TensorView<const T2> w_zero_point,
                      Store store) {
  Window window;
  if (!ConvWindow(p, x.shape, w.shape, &window).ok()) return;
  const ConvSizes sizes{x.shape[0], p.group, w.shape[1], w.shape[0] / p.group};
  const std::int32_t x_zero = x_zero_point.present() ? x_zero_point[0] : 0;
  const bool by_channel = w_zero_point.present() && w_zero_point.size() > 1;
  const auto load_x = [&](std::int64_t, std::int64_t at) {
    return static_cast<std::uint32_t>(x[at] - x_zero);
  };
  const auto load_w = [&](std::int64_t channel, std::int64_t at) {
    const std::int32_t zero =
        w_zero_point.present() ? w_zero_point[by_channel ? channel : 0] : std::int32_t{0};
    return static_cast<std::uint32_t>(w[at] - zero);
  };
  const auto store_sum = [&](std::int64_t channel, std::int64_t at, std::uint32_t sum) {
    store(channel, at, static_cast<std::int32_t>(sum));
  };
  ConvLoops<std::uint32_t, decltype(load_x), decltype(load_w), decltype(store_sum)>(
      window, sizes, load_x, load_w, store_sum)
      .Run();
}

// Sums wrap.
template <class T1, class T2>
void ConvInteger(const ConvParams& p, TensorView<const T1> x, TensorView<const T2> w,
                 TensorView<const T1> x_zero_point, TensorView<const T2> w_zero_point,
                 TensorView<std::int32_t> y) {
  ConvolveIntegers(p, x, w, x_zero_point, w_zero_point,
                   [&](std::int64_t, std::int64_t at, std::int32_t sum) { y[at] = sum; });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CONV_INTEGER_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AveragePool over 1 to 6 spatial axes.
#ifndef DRAGOMAN_RUNTIME_KERNELS_AVERAGE_POOL_H_
#define DRAGOMAN_RUNTIME_KERNELS_AVERAGE_POOL_H_

#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/pool_rows.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/average_pool.h"

namespace dragoman::rt {

// x is (N, C, spatial...). The divisor counts the taps inside the operand, with count_include_pad
// those inside the padded operand; what ceil_mode adds beyond the padding never counts. The mean of
// no taps is 0.
template <class T>
void AveragePool(const AveragePoolParams& p, TensorView<const T> x, TensorView<T> y) {
  using Sum = Accumulate<T>;
  Window window;
  if (!AveragePoolWindow(p, x.shape, &window).ok()) return;
  const auto add = [](T element, Sum& sum) { sum += static_cast<Sum>(element); };
  const auto finish = [&](Sum sum, std::int64_t taps, std::int64_t padded_taps) {
    const std::int64_t count = p.count_include_pad ? padded_taps : taps;
    const Sum mean = count == 0 ? Sum(0) : sum / static_cast<Sum>(count);
    return static_cast<T>(static_cast<Compute<T>>(mean));
  };
  PoolBySums<T, Sum>(window, x.shape[0] * x.shape[1], x.data, y.data, add, finish);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_AVERAGE_POOL_H_

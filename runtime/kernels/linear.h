// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear (domain dragoman): y = x * weightᵀ + bias.
#ifndef DRAGOMAN_RUNTIME_KERNELS_LINEAR_H_
#define DRAGOMAN_RUNTIME_KERNELS_LINEAR_H_

#include <cstdint>

#include "runtime/kernels/product.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// x is (..., in), weight (out, in), bias (out) or absent, y (..., out). The bias is added to the
// sum before it is rounded to T.
template <class T>
void Linear(TensorView<const T> x, TensorView<const T> weight, TensorView<const T> bias,
            TensorView<T> y) {
  const std::int64_t out = weight.shape[0];
  const std::int64_t in = weight.shape[1];
  std::int64_t rows = 1;
  for (int i = 0; i < x.rank() - 1; ++i) rows *= x.shape[i];
  Multiply({rows, out, in}, x.data, {in, 1}, weight.data, {1, in},
           [&](std::int64_t i, std::int64_t j, ProductSum<T> sum) {
             if (bias.present()) sum += static_cast<ProductSum<T>>(bias[j]);
             y[i * out + j] = static_cast<T>(static_cast<Compute<T>>(sum));
           });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_LINEAR_H_

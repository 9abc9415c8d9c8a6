// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gemm: y = alpha * op(a) * op(b) + beta * c, where op transposes if the attribute says so.
#ifndef DRAGOMAN_RUNTIME_KERNELS_GEMM_H_
#define DRAGOMAN_RUNTIME_KERNELS_GEMM_H_

#include <cstdint>

#include "runtime/kernels/product.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/gemm.h"

namespace dragoman::rt {

namespace internal {

// alpha * sum + beta * addend. Integers are scaled in double unless the factor is 1.
template <class T>
T ScaledSum(const GemmParams& p, ProductSum<T> sum, T addend) {
  using Sum = ProductSum<T>;
  if constexpr (kIsFloating<T>) {
    return static_cast<T>(static_cast<Compute<T>>(
        static_cast<Sum>(p.alpha) * sum + static_cast<Sum>(p.beta) * static_cast<Sum>(addend)));
  } else {
    if (p.alpha == 1.0f && p.beta == 1.0f) return static_cast<T>(sum + static_cast<Sum>(addend));
    const double scaled = double{p.alpha} * static_cast<double>(static_cast<T>(sum)) +
                          double{p.beta} * static_cast<double>(addend);
    return static_cast<T>(static_cast<std::int64_t>(scaled));
  }
}

}  // namespace internal

// c broadcasts to (M, N) and may be absent. Integers wrap; with an alpha or beta other than 1 an
// integer result is truncated towards zero, and must be below 2^63.
template <class T>
void Gemm(const GemmParams& p, TensorView<const T> a, TensorView<const T> b, TensorView<const T> c,
          TensorView<T> y) {
  const ProductSizes sizes{y.shape[0], y.shape[1], a.shape[p.transA ? 0 : 1]};
  const MatrixStrides sa = p.transA ? MatrixStrides{1, a.shape[1]} : MatrixStrides{a.shape[1], 1};
  const MatrixStrides sb = p.transB ? MatrixStrides{1, b.shape[1]} : MatrixStrides{b.shape[1], 1};
  const int rank = c.rank();
  const std::int64_t c_column = rank > 0 && c.shape[rank - 1] != 1 ? 1 : 0;
  const std::int64_t c_row = rank > 1 && c.shape[rank - 2] != 1 ? c.shape[rank - 1] : 0;
  Multiply(sizes, a.data, sa, b.data, sb, [&](std::int64_t i, std::int64_t j, ProductSum<T> sum) {
    const T addend = c.present() ? c[i * c_row + j * c_column] : T(0);
    y[i * sizes.columns + j] = internal::ScaledSum<T>(p, sum, addend);
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_GEMM_H_

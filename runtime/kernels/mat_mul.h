// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MatMul: NumPy's matmul, for floats and integers.
#ifndef DRAGOMAN_RUNTIME_KERNELS_MAT_MUL_H_
#define DRAGOMAN_RUNTIME_KERNELS_MAT_MUL_H_

#include <cstdint>

#include "runtime/kernels/product.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/mat_mul.h"

namespace dragoman::rt {

// Calls f(batch index, offset in a, offset in b) for each product of the batch.
template <class F>
void ForEachMatrix(const MatMulSizes& sizes, F f) {
  const std::int64_t count = NumElements(sizes.batch);
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t rest = n;
    std::int64_t a_offset = 0;
    std::int64_t b_offset = 0;
    for (int i = sizes.batch.size() - 1; i >= 0; --i) {
      const std::int64_t at = rest % sizes.batch[i];
      rest /= sizes.batch[i];
      a_offset += at * sizes.a_batch_strides[i];
      b_offset += at * sizes.b_batch_strides[i];
    }
    f(n, a_offset, b_offset);
  }
}

template <class T>
void MatMul(TensorView<const T> a, TensorView<const T> b, TensorView<T> y) {
  MatMulSizes sizes;
  if (!ResolveMatMul(a.shape, b.shape, &sizes).ok()) return;
  const ProductSizes product{sizes.rows, sizes.columns, sizes.depth};
  ForEachMatrix(sizes, [&](std::int64_t n, std::int64_t a_offset, std::int64_t b_offset) {
    T* result = y.data + n * sizes.rows * sizes.columns;
    Multiply(product, a.data + a_offset, {sizes.depth, 1}, b.data + b_offset, {sizes.columns, 1},
             [&](std::int64_t i, std::int64_t j, ProductSum<T> sum) {
               result[i * sizes.columns + j] = static_cast<T>(static_cast<Compute<T>>(sum));
             });
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_MAT_MUL_H_

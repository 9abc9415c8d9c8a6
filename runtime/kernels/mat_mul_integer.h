// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MatMulInteger: MatMul of 8-bit integers less their zero points, in int32.
#ifndef DRAGOMAN_RUNTIME_KERNELS_MAT_MUL_INTEGER_H_
#define DRAGOMAN_RUNTIME_KERNELS_MAT_MUL_INTEGER_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/mat_mul.h"

namespace dragoman::rt {

// A quantisation parameter: absent (a given value), one for all, or one per row of a (a column of
// b) for each matrix of the batch.
template <class T>
class QuantParameter {
 public:
  // `lines` is the number of rows (columns) of a matrix, `matrix` the number of its elements.
  QuantParameter(TensorView<const T> view, std::int64_t lines, std::int64_t matrix)
      : data_(view.data),
        lines_(view.present() && view.size() > 1 ? lines : 0),
        matrix_(std::max<std::int64_t>(matrix, 1)),
        last_matrix_(view.rank() > 1) {}

  // Selects the matrix that begins at `offset` of its operand.
  void Select(std::int64_t offset) {
    if (last_matrix_ && lines_ > 0) first_ = offset / matrix_ * lines_;
  }
  template <class R>
  R At(std::int64_t line, R absent) const {
    if (data_ == nullptr) return absent;
    return static_cast<R>(lines_ > 0 ? data_[first_ + line] : data_[0]);
  }

 private:
  const T* data_;
  std::int64_t lines_;
  std::int64_t matrix_;
  bool last_matrix_;
  std::int64_t first_ = 0;
};

// a(i, k) less the zero point of its row. Sums wrap, so factors have no sign.
template <class T>
struct IntegerRows {
  const T* data;
  std::int64_t depth;
  QuantParameter<T> zero;

  std::uint32_t operator()(std::int64_t i, std::int64_t k) const {
    const std::int32_t value = data[i * depth + k];
    return static_cast<std::uint32_t>(value - zero.At(i, std::int32_t{0}));
  }
};

// b(k, j) less the zero point of its column.
template <class T>
struct IntegerColumns {
  const T* data;
  std::int64_t columns;
  QuantParameter<T> zero;

  std::uint32_t operator()(std::int64_t k, std::int64_t j) const {
    const std::int32_t value = data[k * columns + j];
    return static_cast<std::uint32_t>(value - zero.At(j, std::int32_t{0}));
  }
};

// Calls store(i, j, sum) with the int32 sum of
// (a(i, k) - zero point of row i) * (b(k, j) - zero point of column j) for the matrices at `a` and
// `b`.
template <class T1, class T2, class Store>
void MultiplyIntegers(ProductSizes sizes, const T1* a, const QuantParameter<T1>& a_zero,
                      const T2* b, const QuantParameter<T2>& b_zero, Store store) {
  MultiplyTiles<std::uint32_t>(sizes, IntegerRows<T1>{a, sizes.depth, a_zero},
                               IntegerColumns<T2>{b, sizes.columns, b_zero},
                               [&](std::int64_t i, std::int64_t j, std::uint32_t sum) {
                                 store(i, j, static_cast<std::int32_t>(sum));
                               });
}

// A zero point is a scalar, a vector (per row of a, per column of b) or a tensor (..., M, 1) or
// (..., 1, N) with the operand's batch; absent it is 0. Sums wrap.
template <class T1, class T2>
void MatMulInteger(TensorView<const T1> a, TensorView<const T2> b,
                   TensorView<const T1> a_zero_point, TensorView<const T2> b_zero_point,
                   TensorView<std::int32_t> y) {
  MatMulSizes sizes;
  if (!ResolveMatMul(a.shape, b.shape, &sizes).ok()) return;
  const ProductSizes product{sizes.rows, sizes.columns, sizes.depth};
  QuantParameter<T1> a_zero(a_zero_point, sizes.rows, sizes.rows * sizes.depth);
  QuantParameter<T2> b_zero(b_zero_point, sizes.columns, sizes.depth * sizes.columns);
  ForEachMatrix(sizes, [&](std::int64_t n, std::int64_t a_offset, std::int64_t b_offset) {
    a_zero.Select(a_offset);
    b_zero.Select(b_offset);
    std::int32_t* result = y.data + n * sizes.rows * sizes.columns;
    MultiplyIntegers(product, a.data + a_offset, a_zero, b.data + b_offset, b_zero,
                     [&](std::int64_t i, std::int64_t j, std::int32_t sum) {
                       result[i * sizes.columns + j] = sum;
                     });
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_MAT_MUL_INTEGER_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of MatMul, MatMulInteger and QLinearMatMul: NumPy's matmul.
#ifndef DRAGOMAN_RUNTIME_PARAMS_MAT_MUL_H_
#define DRAGOMAN_RUNTIME_PARAMS_MAT_MUL_H_

#include <algorithm>
#include <cstdint>

#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// A product resolved: for every element of `batch` a (rows × depth) · (depth × columns). A 1-D
// operand is a row (a) or a column (b).
struct MatMulSizes {
  Shape batch;
  Shape a_batch_strides;  // of one element of batch, in elements of a; 0 where a is broadcast
  Shape b_batch_strides;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t depth = 1;
};

namespace internal {

// The strides of the leading axes of `operand` (all but its matrix), aligned at the end with
// `batch`.
constexpr Shape BatchStrides(const Shape& operand, std::int64_t matrix, const Shape& batch) {
  Shape strides = Shape::Filled(batch.size(), 0);
  std::int64_t stride = matrix;
  int at = batch.size() - 1;
  for (int i = operand.size() - 3; i >= 0; --i, --at) {
    if (operand[i] != 1) strides[at] = stride;
    stride *= operand[i];
  }
  return strides;
}

}  // namespace internal

constexpr Status ResolveMatMul(const Shape& a, const Shape& b, MatMulSizes* sizes) {
  *sizes = MatMulSizes();
  if (a.empty() || b.empty()) return Status::Error("operands must not be scalars");
  sizes->rows = a.size() > 1 ? a[a.size() - 2] : 1;
  sizes->depth = a.back();
  sizes->columns = b.size() > 1 ? b.back() : 1;
  if ((b.size() > 1 ? b[b.size() - 2] : b.back()) != sizes->depth) {
    return Status::Error("last size of the first operand differs from the second's inner size");
  }
  const int a_batch = std::max(a.size() - 2, 0);
  const int b_batch = std::max(b.size() - 2, 0);
  const int rank = std::max(a_batch, b_batch);
  for (int i = 0; i < rank; ++i) {
    const std::int64_t m = i < rank - a_batch ? 1 : a[i - (rank - a_batch)];
    const std::int64_t n = i < rank - b_batch ? 1 : b[i - (rank - b_batch)];
    if (m != n && m != 1 && n != 1) return Status::Error("batch sizes do not broadcast");
    sizes->batch.push_back(m == 1 ? n : m);
  }
  sizes->a_batch_strides = internal::BatchStrides(a, sizes->rows * sizes->depth, sizes->batch);
  sizes->b_batch_strides = internal::BatchStrides(b, sizes->depth * sizes->columns, sizes->batch);
  return Status();
}

constexpr Status MatMulShape(const Shape& a, const Shape& b, Shape* y) {
  MatMulSizes sizes;
  DRAGOMAN_RT_TRY(ResolveMatMul(a, b, &sizes));
  *y = sizes.batch;
  if (a.size() > 1) y->push_back(sizes.rows);
  if (b.size() > 1) y->push_back(sizes.columns);
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_MAT_MUL_H_

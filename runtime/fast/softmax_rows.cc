// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/softmax_rows.h"

#include "runtime/fast/math.h"
#include "runtime/fast/row_loops.h"

namespace dragoman::rt {
namespace {

DRAGOMAN_RT_CLONES void SoftmaxEach(std::int64_t rows, std::int64_t size, std::int64_t stride,
                                    const float* x, float* y) {
  for (std::int64_t row = 0; row < rows; ++row, x += stride, y += stride) {
    const float max = MaxOfRow(size, x);
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < size; ++i) y[i] = fast::Exp(x[i] - max);
    const float factor = 1.0f / SumRow(size, [=](std::int64_t i) { return y[i]; });
    for (std::int64_t i = 0; i < size; ++i) y[i] *= factor;
  }
}

}  // namespace

void SoftmaxRows(const SoftmaxParams&, TensorView<const float> x, TensorView<float> y) noexcept {
  const std::int64_t size = x.shape[x.shape.size() - 1];
  ForRows(x.shape, size, [=](std::int64_t at, std::int64_t rows) {
    SoftmaxEach(rows, size, size, x.data + at, y.data + at);
  });
}

void SoftmaxInPlace(std::int64_t rows, std::int64_t size, std::int64_t stride, float* x) noexcept {
  SoftmaxEach(rows, size, stride, x, x);
}

}  // namespace dragoman::rt

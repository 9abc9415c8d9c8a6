// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/softmax_rows.h"

#include <algorithm>

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

// The same of rows side by side that are shorter than vectors: their exponentials are one loop.
DRAGOMAN_RT_CLONES void SoftmaxShort(std::int64_t rows, std::int64_t size, const float* x,
                                     float* y) {
  constexpr std::int64_t kTogether = 64;
  for (std::int64_t count = 0; rows > 0; rows -= count, x += count * size, y += count * size) {
    count = std::min(kTogether, rows);
    for (std::int64_t at = 0; at < count * size; at += size) {
      const float max = MaxOfRow(size, x + at);
      for (std::int64_t i = at; i < at + size; ++i) y[i] = x[i] - max;
    }
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < count * size; ++i) y[i] = fast::Exp(y[i]);
    for (std::int64_t at = 0; at < count * size; at += size) {
      const float factor = 1.0f / SumRow(size, [=](std::int64_t i) { return y[at + i]; });
      for (std::int64_t i = at; i < at + size; ++i) y[i] *= factor;
    }
  }
}

}  // namespace

void SoftmaxRows(const SoftmaxParams&, TensorView<const float> x, TensorView<float> y) noexcept {
  const std::int64_t size = x.shape[x.shape.size() - 1];
  ForRows(x.shape, size, [=](std::int64_t at, std::int64_t rows) {
    if (size < kRowLanes) return SoftmaxShort(rows, size, x.data + at, y.data + at);
    SoftmaxEach(rows, size, size, x.data + at, y.data + at);
  });
}

void SoftmaxInPlace(std::int64_t rows, std::int64_t size, std::int64_t stride, float* x) noexcept {
  SoftmaxEach(rows, size, stride, x, x);
}

}  // namespace dragoman::rt

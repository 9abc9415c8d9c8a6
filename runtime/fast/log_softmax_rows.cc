// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/log_softmax_rows.h"

#include <cmath>

#include "runtime/fast/math.h"
#include "runtime/fast/row_loops.h"

namespace dragoman::rt {
namespace {

DRAGOMAN_RT_CLONES void LogSoftmaxEach(std::int64_t rows, std::int64_t size, const float* x,
                                       float* y) {
  for (std::int64_t row = 0; row < rows; ++row, x += size, y += size) {
    const float max = MaxOfRow(size, x);
    const float log = std::log(SumRow(size, [=](std::int64_t i) { return fast::Exp(x[i] - max); }));
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < size; ++i) y[i] = x[i] - max - log;
  }
}

}  // namespace

void LogSoftmaxRows(const SoftmaxParams&, TensorView<const float> x, TensorView<float> y) noexcept {
  const std::int64_t size = x.shape[x.shape.size() - 1];
  ForRows(x.shape, size, [=](std::int64_t at, std::int64_t rows) {
    LogSoftmaxEach(rows, size, x.data + at, y.data + at);
  });
}

}  // namespace dragoman::rt

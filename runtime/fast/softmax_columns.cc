// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/softmax_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/fast/math.h"
#include "runtime/fast/row_loops.h"
#include "runtime/kernels/axis_loop.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kColumns = 64;

// Up to kColumns columns of `size` elements, which lie `step` apart.
template <bool kLog>
DRAGOMAN_RT_CLONES void SoftmaxOfColumns(std::int64_t columns, std::int64_t size, std::int64_t step,
                                         const float* x, float* y) {
  float max[kColumns], sum[kColumns];
  std::fill_n(max, columns, -std::numeric_limits<float>::infinity());
  std::fill_n(sum, columns, 0.0f);
  for (std::int64_t at = 0; at < size * step; at += step) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < columns; ++i) max[i] = x[at + i] > max[i] ? x[at + i] : max[i];
  }
  for (std::int64_t at = 0; at < size * step; at += step) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < columns; ++i) {
      const float power = fast::Exp(x[at + i] - max[i]);
      sum[i] += power;
      if (!kLog) y[at + i] = power;
    }
  }
  for (std::int64_t i = 0; i < columns; ++i) sum[i] = kLog ? std::log(sum[i]) : 1.0f / sum[i];
  for (std::int64_t at = 0; at < size * step; at += step) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < columns; ++i)
      y[at + i] = kLog ? x[at + i] - max[i] - sum[i] : y[at + i] * sum[i];
  }
}

template <bool kLog>
void ForColumns(const SoftmaxParams& p, TensorView<const float> x, TensorView<float> y) noexcept {
  const AxisLoop loop(x.shape, p.axis);
  const std::int64_t blocks = (loop.inner + kColumns - 1) / kColumns;
  const std::int64_t work = std::max<std::int64_t>(loop.size * std::min(loop.inner, kColumns), 1);
  Parallel(loop.outer * blocks, std::max<std::int64_t>(kRowGrain / work, 1),
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t block = begin; block < end; ++block) {
               const std::int64_t column = block % blocks * kColumns;
               const std::int64_t at = block / blocks * loop.size * loop.inner + column;
               SoftmaxOfColumns<kLog>(std::min(kColumns, loop.inner - column), loop.size,
                                      loop.inner, x.data + at, y.data + at);
             }
           });
}

}  // namespace

void SoftmaxColumns(const SoftmaxParams& p, TensorView<const float> x,
                    TensorView<float> y) noexcept {
  ForColumns<false>(p, x, y);
}

void LogSoftmaxColumns(const SoftmaxParams& p, TensorView<const float> x,
                       TensorView<float> y) noexcept {
  ForColumns<true>(p, x, y);
}

}  // namespace dragoman::rt

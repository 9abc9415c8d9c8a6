// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/fast/clones.h"
#include "runtime/fast/math.h"
#include "runtime/fast/parallel.h"
#include "runtime/kernels/axis_loop.h"
#include "runtime/params/checked.h"

namespace dragoman::rt {
namespace {

constexpr int kRowLanes = 16;
constexpr std::int64_t kColumns = 64;
constexpr std::int64_t kRowGrain = 1 << 14;  // below which a thread is not worth its start

// Folds f(element) into lanes, so that the compiler may use vectors, and these into one number.
template <class F, class Fold>
DRAGOMAN_RT_INLINE float ReduceRow(std::int64_t count, float initial, F f, Fold fold) {
  float lanes[kRowLanes];
  for (float& lane : lanes) lane = initial;
  std::int64_t i = 0;
  for (; i + kRowLanes <= count; i += kRowLanes) {
    for (int lane = 0; lane < kRowLanes; ++lane) lanes[lane] = fold(lanes[lane], f(i + lane));
  }
  float result = initial;
  for (; i < count; ++i) result = fold(result, f(i));
  for (float lane : lanes) result = fold(result, lane);
  return result;
}

// By blocks, so that rounding errors of long sums stay small.
template <class F>
DRAGOMAN_RT_INLINE float SumRow(std::int64_t count, F f) {
  constexpr std::int64_t kBlock = 4096;
  const auto add = [](float a, float b) { return a + b; };
  float sum = ReduceRow(std::min(count, kBlock), 0.0f, f, add);
  for (std::int64_t begin = kBlock; begin < count; begin += kBlock) {
    const auto later = [=](std::int64_t i) { return f(begin + i); };
    sum += ReduceRow(std::min(count - begin, kBlock), 0.0f, later, add);
  }
  return sum;
}

DRAGOMAN_RT_CLONES void SoftmaxEach(std::int64_t rows, std::int64_t size, std::int64_t stride,
                                    const float* x, float* y) {
  for (std::int64_t row = 0; row < rows; ++row, x += stride, y += stride) {
    const float max = ReduceRow(
        size, -std::numeric_limits<float>::infinity(), [=](std::int64_t i) { return x[i]; },
        [](float a, float b) { return b > a ? b : a; });
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < size; ++i) y[i] = fast::Exp(x[i] - max);
    const float factor = 1.0f / SumRow(size, [=](std::int64_t i) { return y[i]; });
    for (std::int64_t i = 0; i < size; ++i) y[i] *= factor;
  }
}

DRAGOMAN_RT_CLONES void LogSoftmaxEach(std::int64_t rows, std::int64_t size, const float* x,
                                       float* y) {
  for (std::int64_t row = 0; row < rows; ++row, x += size, y += size) {
    const float max = ReduceRow(
        size, -std::numeric_limits<float>::infinity(), [=](std::int64_t i) { return x[i]; },
        [](float a, float b) { return b > a ? b : a; });
    const float log = std::log(SumRow(size, [=](std::int64_t i) { return fast::Exp(x[i] - max); }));
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < size; ++i) y[i] = x[i] - max - log;
  }
}

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

// Subtracts the mean if `centered`; bias may be null.
template <class X, class Y>
DRAGOMAN_RT_CLONES void Normalize(std::int64_t rows, std::int64_t size, bool centered,
                                  float epsilon, const X* x, const float* scale, const float* bias,
                                  Y* y) {
  const auto count = static_cast<float>(size);
  for (std::int64_t row = 0; row < rows; ++row, x += size, y += size) {
    const float mean =
        centered ? SumRow(size, [=](std::int64_t i) { return float(x[i]); }) / count : 0.0f;
    const float variance =
        SumRow(size, [=](std::int64_t i) { return (x[i] - mean) * (x[i] - mean); }) / count;
    const float factor = 1.0f / std::sqrt(variance + epsilon);
    if (bias == nullptr) {
      DRAGOMAN_RT_INDEPENDENT
      for (std::int64_t i = 0; i < size; ++i) y[i] = Y((x[i] - mean) * factor * scale[i]);
    } else {
      DRAGOMAN_RT_INDEPENDENT
      for (std::int64_t i = 0; i < size; ++i) y[i] = Y((x[i] - mean) * factor * scale[i] + bias[i]);
    }
  }
}

// Calls body(first element, rows) for parts of the rows of `size` elements.
template <class Body>
void ForRows(const Shape& shape, std::int64_t size, Body body) noexcept {
  const std::int64_t elements = NumElements(shape);
  if (elements == 0) return;
  const std::int64_t grain = std::max<std::int64_t>(kRowGrain / size, 1);
  Parallel(elements / size, grain,
           [=](std::int64_t begin, std::int64_t end) { body(begin * size, end - begin); });
}

void NormalizeRows(bool centered, std::int64_t axis, float epsilon, const FloatSource& x,
                   const float* scale, const float* bias, const FloatTarget& y) noexcept {
  const int rank = x.shape.size();
  const std::int64_t size = ProductOfSizes(x.shape, WrapAxis(axis, rank), rank);
  WithTypes(x, y, [&](const auto* from, auto* to) {
    ForRows(x.shape, size, [=](std::int64_t at, std::int64_t rows) {
      Normalize(rows, size, centered, epsilon, from + at, scale, bias, to + at);
    });
  });
}

}  // namespace

void SoftmaxRows(const SoftmaxParams&, TensorView<const float> x, TensorView<float> y) noexcept {
  const std::int64_t size = x.shape[x.shape.size() - 1];
  ForRows(x.shape, size, [=](std::int64_t at, std::int64_t rows) {
    SoftmaxEach(rows, size, size, x.data + at, y.data + at);
  });
}

void LogSoftmaxRows(const SoftmaxParams&, TensorView<const float> x, TensorView<float> y) noexcept {
  const std::int64_t size = x.shape[x.shape.size() - 1];
  ForRows(x.shape, size, [=](std::int64_t at, std::int64_t rows) {
    LogSoftmaxEach(rows, size, x.data + at, y.data + at);
  });
}

void SoftmaxColumns(const SoftmaxParams& p, TensorView<const float> x,
                    TensorView<float> y) noexcept {
  ForColumns<false>(p, x, y);
}

void LogSoftmaxColumns(const SoftmaxParams& p, TensorView<const float> x,
                       TensorView<float> y) noexcept {
  ForColumns<true>(p, x, y);
}

void SoftmaxInPlace(std::int64_t rows, std::int64_t size, std::int64_t stride, float* x) noexcept {
  SoftmaxEach(rows, size, stride, x, x);
}

void LayerNormalizationRows(const LayerNormalizationParams& p, const FloatSource& x,
                            TensorView<const float> scale, TensorView<const float> bias,
                            const FloatTarget& y, TensorView<float>, TensorView<float>) noexcept {
  NormalizeRows(true, p.axis, p.epsilon, x, scale.data, bias.present() ? bias.data : nullptr, y);
}

void RMSNormalizationRows(const RMSNormalizationParams& p, const FloatSource& x,
                          TensorView<const float> scale, const FloatTarget& y) noexcept {
  NormalizeRows(false, p.axis, p.epsilon, x, scale.data, nullptr, y);
}

}  // namespace dragoman::rt

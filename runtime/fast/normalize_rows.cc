// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/normalize_rows.h"

#include <cmath>

#include "runtime/fast/row_loops.h"
#include "runtime/params/checked.h"

namespace dragoman::rt {
namespace {

// The mean, as a sum of what the elements differ from the first one by: exact for equal elements,
// however large, which would else differ from a rounded mean.
template <class X>
DRAGOMAN_RT_INLINE float MeanOfRow(std::int64_t size, const X* x) {
  const float first = x[0];
  return first + SumRow(size, [=](std::int64_t i) { return x[i] - first; }) / float(size);
}

// Subtracts the mean if `centered`; bias may be null.
template <class X, class Y>
DRAGOMAN_RT_CLONES void Normalize(std::int64_t rows, std::int64_t size, bool centered,
                                  float epsilon, const X* x, const float* scale, const float* bias,
                                  Y* y) {
  const auto count = static_cast<float>(size);
  for (std::int64_t row = 0; row < rows; ++row, x += size, y += size) {
    const float mean = centered ? MeanOfRow(size, x) : 0.0f;
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

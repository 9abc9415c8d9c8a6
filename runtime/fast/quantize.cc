// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/quantize.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"
#include "runtime/kernels/quantize_linear.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kQuantizeGrain = 1 << 15;  // elements that a thread is worth
// To which a float of at most 2^22 is added, and from which it is subtracted, to be rounded to the
// nearest whole number, of two the even one.
constexpr float kRounding = 12582912.0f;

// A quotient that is not a number becomes the lowest one.
template <class T>
DRAGOMAN_RT_INLINE T Quantised(float quotient, std::int32_t zero) {
  const auto low = static_cast<float>(std::numeric_limits<T>::min() - zero);
  const auto high = static_cast<float>(std::numeric_limits<T>::max() - zero);
  float limited = quotient > low ? quotient : low;
  limited = limited < high ? limited : high;
  const auto rounded = static_cast<std::int32_t>((limited + kRounding) - kRounding);
  return static_cast<T>(rounded + zero);
}

template <class T>
DRAGOMAN_RT_CLONES void Quantise(const float* x, float scale, std::int32_t zero, std::int64_t count,
                                 T* y) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] = Quantised<T>(x[i] / scale, zero);
}

// With a scale, and a zero point if there are any, for each element.
template <class T>
DRAGOMAN_RT_CLONES void Quantise(const float* x, const float* scale, const T* zero,
                                 std::int64_t count, T* y) {
  if (zero == nullptr) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) y[i] = Quantised<T>(x[i] / scale[i], 0);
  } else {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) y[i] = Quantised<T>(x[i] / scale[i], zero[i]);
  }
}

template <class T>
DRAGOMAN_RT_CLONES void Dequantise(const T* x, float scale, std::int32_t zero, std::int64_t count,
                                   float* y) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<float>(x[i] - zero) * scale;
}

// With a scale, and a zero point if there are any, for each element.
template <class T>
DRAGOMAN_RT_CLONES void Dequantise(const T* x, const float* scale, const T* zero,
                                   std::int64_t count, float* y) {
  if (zero == nullptr) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<float>(x[i]) * scale[i];
  } else {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<float>(x[i] - zero[i]) * scale[i];
  }
}

// Calls body(run), on several threads, for runs that make up x; a single one is divided.
template <class Body>
void ForScaledRuns(const internal::ScaledRuns& runs, std::int64_t elements, Body body) noexcept {
  if (elements == 0) return;
  if (runs.count() == 1) {
    const internal::ScaledRun run = runs[0];
    Parallel(run.size, kQuantizeGrain, [&](std::int64_t begin, std::int64_t end) {
      body({run.x + begin, run.scale + begin * run.step, run.step, end - begin});
    });
    return;
  }
  const std::int64_t grain = std::max<std::int64_t>(kQuantizeGrain * runs.count() / elements, 1);
  Parallel(runs.count(), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(runs[i]);
  });
}

// Calls convert(x, scale, zero, count, y) for runs that make up x: with one scale and zero point,
// or with pointers to one per element.
template <class X, class T, class Y, class Convert>
void ConvertRuns(const internal::ScaledRuns& runs, TensorView<const X> x,
                 TensorView<const float> scale, TensorView<const T> zero, TensorView<Y> y,
                 Convert convert) noexcept {
  ForScaledRuns(runs, x.size(), [&](const internal::ScaledRun& run) {
    const float* const scales = scale.data + run.scale;
    const T* const zeros = zero.present() ? zero.data + run.scale : nullptr;
    if (run.step == 0) {
      convert(x.data + run.x, *scales, zeros != nullptr ? *zeros : 0, run.size, y.data + run.x);
    } else {
      convert(x.data + run.x, scales, zeros, run.size, y.data + run.x);
    }
  });
}

// The least and the greatest of x and 0.
DRAGOMAN_RT_CLONES std::pair<float, float> Span(const float* x, std::int64_t count) {
  constexpr std::int64_t kLanes = 32;
  float least[kLanes] = {}, greatest[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t k = 0; k < kLanes; ++k) {
      least[k] = x[i + k] < least[k] ? x[i + k] : least[k];
      greatest[k] = x[i + k] > greatest[k] ? x[i + k] : greatest[k];
    }
  }
  for (; i < count; ++i) {
    least[0] = std::min(least[0], x[i]);
    greatest[0] = std::max(greatest[0], x[i]);
  }
  return {*std::min_element(least, least + kLanes), *std::max_element(greatest, greatest + kLanes)};
}

}  // namespace

template <class T>
void QuantizeTensor(const QuantizeLinearParams& p, TensorView<const float> x,
                    TensorView<const float> scale, TensorView<const T> zero,
                    TensorView<T> y) noexcept {
  const internal::ScaledRuns runs(x.shape, scale.shape, p.axis, p.block_size);
  ConvertRuns(runs, x, scale, zero, y, [](auto... run) { Quantise(run...); });
}

template <class T>
void DequantizeTensor(const DequantizeLinearParams& p, TensorView<const T> x,
                      TensorView<const float> scale, TensorView<const T> zero,
                      TensorView<float> y) noexcept {
  const internal::ScaledRuns runs(x.shape, scale.shape, p.axis, p.block_size);
  ConvertRuns(runs, x, scale, zero, y, [](auto... run) { Dequantise(run...); });
}

void DynamicQuantizeTensor(TensorView<const float> x, TensorView<std::uint8_t> y,
                           TensorView<float> y_scale, TensorView<std::uint8_t> y_zero) noexcept {
  const auto [least, greatest] = Span(x.data, x.size());
  const float scale = (greatest - least) / 255.0f, divisor = scale == 0.0f ? 1.0f : scale;
  y_scale[0] = scale;
  y_zero[0] = Quantised<std::uint8_t>(-least / divisor, 0);
  Parallel(x.size(), kQuantizeGrain, [&](std::int64_t begin, std::int64_t end) {
    Quantise(x.data + begin, divisor, y_zero[0], end - begin, y.data + begin);
  });
}

template void QuantizeTensor(const QuantizeLinearParams&, TensorView<const float>,
                             TensorView<const float>, TensorView<const std::int8_t>,
                             TensorView<std::int8_t>) noexcept;
template void QuantizeTensor(const QuantizeLinearParams&, TensorView<const float>,
                             TensorView<const float>, TensorView<const std::uint8_t>,
                             TensorView<std::uint8_t>) noexcept;
template void DequantizeTensor(const DequantizeLinearParams&, TensorView<const std::int8_t>,
                               TensorView<const float>, TensorView<const std::int8_t>,
                               TensorView<float>) noexcept;
template void DequantizeTensor(const DequantizeLinearParams&, TensorView<const std::uint8_t>,
                               TensorView<const float>, TensorView<const std::uint8_t>,
                               TensorView<float>) noexcept;

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/quantize.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kQuantizeGrain = 1 << 15;  // elements that a thread is worth
// To which a float of at most 2^22 is added, and from which it is subtracted, to be rounded to the
// nearest whole number, of two the even one.
constexpr float kRounding = 12582912.0f;

// A quotient that is not a number becomes the lowest one.
template <class T>
DRAGOMAN_RT_INLINE T Quantised(float quotient, float low, float high, std::int32_t zero) {
  float limited = quotient > low ? quotient : low;
  limited = limited < high ? limited : high;
  const auto rounded = static_cast<std::int32_t>((limited + kRounding) - kRounding);
  return static_cast<T>(rounded + zero);
}

template <class T>
DRAGOMAN_RT_CLONES void Quantise(const float* x, float scale, std::int32_t zero, std::int64_t count,
                                 T* y) {
  const auto low = static_cast<float>(std::numeric_limits<T>::min() - zero);
  const auto high = static_cast<float>(std::numeric_limits<T>::max() - zero);
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] = Quantised<T>(x[i] / scale, low, high, zero);
}

template <class T>
DRAGOMAN_RT_CLONES void Dequantise(const T* x, float scale, std::int32_t zero, std::int64_t count,
                                   float* y) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<float>(x[i] - zero) * scale;
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
void QuantizeTensor(const QuantizeLinearParams&, TensorView<const float> x,
                    TensorView<const float> scale, TensorView<const T> zero,
                    TensorView<T> y) noexcept {
  Parallel(x.size(), kQuantizeGrain, [&](std::int64_t begin, std::int64_t end) {
    Quantise(x.data + begin, scale[0], zero.present() ? zero[0] : 0, end - begin, y.data + begin);
  });
}

template <class T>
void DequantizeTensor(const DequantizeLinearParams&, TensorView<const T> x,
                      TensorView<const float> scale, TensorView<const T> zero,
                      TensorView<float> y) noexcept {
  Parallel(x.size(), kQuantizeGrain, [&](std::int64_t begin, std::int64_t end) {
    Dequantise(x.data + begin, scale[0], zero.present() ? zero[0] : 0, end - begin, y.data + begin);
  });
}

void DynamicQuantizeTensor(TensorView<const float> x, TensorView<std::uint8_t> y,
                           TensorView<float> y_scale, TensorView<std::uint8_t> y_zero) noexcept {
  const auto [least, greatest] = Span(x.data, x.size());
  const float scale = (greatest - least) / 255.0f, divisor = scale == 0.0f ? 1.0f : scale;
  y_scale[0] = scale;
  y_zero[0] = Quantised<std::uint8_t>(-least / divisor, 0.0f, 255.0f, 0);
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

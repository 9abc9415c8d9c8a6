#include "runtime/fast/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/fast/clones.h"
#include "runtime/fast/math.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr int kLanes = 16;
constexpr std::int64_t kPartElements = 1 << 14;  // below which a thread is not worth its start

// Folds f(element) into lanes, so that the compiler may use vectors, and these into one number.
template <class F, class Fold>
DRAGOMAN_RT_INLINE float Reduce(std::int64_t count, float initial, F f, Fold fold) {
  float lanes[kLanes];
  for (float& lane : lanes) lane = initial;
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = fold(lanes[lane], f(i + lane));
  }
  float result = initial;
  for (; i < count; ++i) result = fold(result, f(i));
  for (float lane : lanes) result = fold(result, lane);
  return result;
}

template <class F>
DRAGOMAN_RT_INLINE float Sum(std::int64_t count, F f) {
  return Reduce(count, 0.0f, f, [](float a, float b) { return a + b; });
}

DRAGOMAN_RT_CLONES void Softmax(std::int64_t rows, std::int64_t size, std::int64_t stride,
                                const float* x, float* y) {
  for (std::int64_t row = 0; row < rows; ++row, x += stride, y += stride) {
    const float max = Reduce(
        size, -std::numeric_limits<float>::infinity(), [=](std::int64_t i) { return x[i]; },
        [](float a, float b) { return b > a ? b : a; });
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < size; ++i) y[i] = fast::Exp(x[i] - max);
    const float factor = 1.0f / Sum(size, [=](std::int64_t i) { return y[i]; });
    for (std::int64_t i = 0; i < size; ++i) y[i] *= factor;
  }
}

// Subtracts the mean if `centered`; scale and bias may be null.
DRAGOMAN_RT_CLONES void Normalize(std::int64_t rows, std::int64_t size, bool centered,
                                  float epsilon, const float* x, const float* scale,
                                  const float* bias, float* y) {
  const auto count = static_cast<float>(size);
  for (std::int64_t row = 0; row < rows; ++row, x += size, y += size) {
    const float mean = centered ? Sum(size, [=](std::int64_t i) { return x[i]; }) / count : 0.0f;
    const float variance =
        Sum(size, [=](std::int64_t i) { return (x[i] - mean) * (x[i] - mean); }) / count;
    const float factor = 1.0f / std::sqrt(variance + epsilon);
    if (bias == nullptr) {
      DRAGOMAN_RT_INDEPENDENT
      for (std::int64_t i = 0; i < size; ++i) y[i] = (x[i] - mean) * factor * scale[i];
    } else {
      DRAGOMAN_RT_INDEPENDENT
      for (std::int64_t i = 0; i < size; ++i) y[i] = (x[i] - mean) * factor * scale[i] + bias[i];
    }
  }
}

// Calls body(first element, rows) for parts of the rows.
template <class Body>
void ForRows(const Shape& shape, Body body) noexcept {
  const std::int64_t elements = NumElements(shape), size = shape[shape.size() - 1];
  if (elements == 0) return;
  const std::int64_t grain = std::max<std::int64_t>(kPartElements / size, 1);
  Parallel(elements / size, grain,
           [=](std::int64_t begin, std::int64_t end) { body(begin * size, end - begin); });
}

}  // namespace

void SoftmaxRows(const SoftmaxParams&, TensorView<const float> x, TensorView<float> y) noexcept {
  const std::int64_t size = x.shape[x.shape.size() - 1];
  ForRows(x.shape, [=](std::int64_t at, std::int64_t rows) {
    Softmax(rows, size, size, x.data + at, y.data + at);
  });
}

void SoftmaxInPlace(std::int64_t rows, std::int64_t size, std::int64_t stride, float* x) noexcept {
  Softmax(rows, size, stride, x, x);
}

void LayerNormalizationRows(const LayerNormalizationParams& p, TensorView<const float> x,
                            TensorView<const float> scale, TensorView<const float> bias,
                            TensorView<float> y, TensorView<float>, TensorView<float>) noexcept {
  const std::int64_t size = x.shape[x.shape.size() - 1];
  const float* shift = bias.present() ? bias.data : nullptr;
  ForRows(x.shape, [=, epsilon = p.epsilon](std::int64_t at, std::int64_t rows) {
    Normalize(rows, size, true, epsilon, x.data + at, scale.data, shift, y.data + at);
  });
}

void RMSNormalizationRows(const RMSNormalizationParams& p, TensorView<const float> x,
                          TensorView<const float> scale, TensorView<float> y) noexcept {
  const std::int64_t size = x.shape[x.shape.size() - 1];
  ForRows(x.shape, [=, epsilon = p.epsilon](std::int64_t at, std::int64_t rows) {
    Normalize(rows, size, false, epsilon, x.data + at, scale.data, nullptr, y.data + at);
  });
}

}  // namespace dragoman::rt

#include "runtime/fast/int8_product.h"

#include <algorithm>
#include <cmath>

#include "runtime/fast/clones.h"

namespace dragoman::rt {
namespace {

float Saturated(float value, float low, float high) {
  value = value > low ? value : low;
  return value < high ? value : high;
}

template <class T>
DRAGOMAN_RT_INLINE T Requantized(std::int32_t sum, float scale, float zero) {
  constexpr float kLow = std::is_signed_v<T> ? -128.0f : 0.0f;
  constexpr float kHigh = std::is_signed_v<T> ? 127.0f : 255.0f;
  const float value = std::nearbyint(static_cast<float>(sum) * scale) + zero;
  return static_cast<T>(static_cast<std::int32_t>(Saturated(value, kLow, kHigh)));
}

DRAGOMAN_RT_INLINE std::int32_t Added(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

template <class T>
DRAGOMAN_RT_CLONES void RequantizeOne(const std::int32_t* sums, std::int64_t count,
                                      std::int32_t bias, float scale, float zero, T* y) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] = Requantized<T>(Added(sums[i], bias), scale, zero);
}

template <class T>
DRAGOMAN_RT_CLONES void RequantizeEach(const std::int32_t* sums, std::int64_t count,
                                       const std::int32_t* bias, const float* scales, float zero,
                                       T* y) {
  if (bias == nullptr) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) y[i] = Requantized<T>(sums[i], scales[i], zero);
    return;
  }
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    y[i] = Requantized<T>(Added(sums[i], bias[i]), scales[i], zero);
}

template <class T>
void PackLines(const T* data, const Int8Factor& f, std::int64_t count, const std::int32_t* zeros,
               std::int64_t width, std::int16_t* panel) {
  const std::int64_t pairs = DepthPairs(f.depth);
  for (std::int64_t i = 0; i < width; ++i) {
    std::int16_t* to = panel + 2 * i;
    for (std::int64_t pair = 0; pair < pairs; ++pair, to += 2 * width) {
      const std::int64_t k = 2 * pair;
      const T* from = data + i * f.line_step + k * f.depth_step;
      to[0] = to[1] = 0;
      if (i >= count) continue;
      to[0] = static_cast<std::int16_t>(from[0] - zeros[i]);
      if (k + 1 < f.depth) to[1] = static_cast<std::int16_t>(from[f.depth_step] - zeros[i]);
    }
  }
}

}  // namespace

Status Requantizer::Init(const Requantization& q, std::int64_t channels) {
  if (q.bias.present()) {
    if (q.bias.size() != channels) return Status::Error("the bias has another size");
    bias.assign(q.bias.data, q.bias.data + channels);
  }
  if (!q.y_scale.present()) return Status();
  const std::int64_t count = q.w_scale.size();
  if (q.x_scale.size() != 1 || q.y_scale.size() != 1 || (count != 1 && count != channels))
    return Status::Error("scales have other sizes");
  for (std::int64_t i = 0; i < channels; ++i)
    scales.push_back(q.x_scale[0] * q.w_scale[count == 1 ? 0 : i] / q.y_scale[0]);
  zero = q.y_zero.size > 0 ? q.y_zero.data[0] : 0;
  return Status();
}

void Requantizer::StoreChannel(const std::int32_t* sums, std::int64_t count, std::int64_t channel,
                               Int8Result y, std::int64_t at) const noexcept {
  const auto index = static_cast<std::size_t>(channel);
  const std::int32_t added = bias.empty() ? 0 : bias[index];
  const auto shift = static_cast<float>(zero);
  if (y.kind == Int8Result::Kind::kI8) {
    RequantizeOne(sums, count, added, scales[index], shift, static_cast<std::int8_t*>(y.data) + at);
  } else if (y.kind == Int8Result::Kind::kU8) {
    RequantizeOne(sums, count, added, scales[index], shift,
                  static_cast<std::uint8_t*>(y.data) + at);
  } else {
    auto* to = static_cast<std::int32_t*>(y.data) + at;
    for (std::int64_t i = 0; i < count; ++i) to[i] = Added(sums[i], added);
  }
}

void Requantizer::StoreChannels(const std::int32_t* sums, std::int64_t count, std::int64_t channel,
                                Int8Result y, std::int64_t at) const noexcept {
  const std::int32_t* added = bias.empty() ? nullptr : bias.data() + channel;
  const float* each = scales.empty() ? nullptr : scales.data() + channel;
  const auto shift = static_cast<float>(zero);
  if (y.kind == Int8Result::Kind::kI8) {
    RequantizeEach(sums, count, added, each, shift, static_cast<std::int8_t*>(y.data) + at);
  } else if (y.kind == Int8Result::Kind::kU8) {
    RequantizeEach(sums, count, added, each, shift, static_cast<std::uint8_t*>(y.data) + at);
  } else {
    auto* to = static_cast<std::int32_t*>(y.data) + at;
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = added == nullptr ? sums[i] : Added(sums[i], added[i]);
  }
}

void PackInt8(const Int8Factor& factor, std::int64_t first, std::int64_t count, Int8Data zeros,
              bool by_line, std::int64_t width, std::int16_t* packed) noexcept {
  const std::int64_t panel = PanelSize(factor.depth, width);
  for (std::int64_t done = 0; done < count; done += width, packed += panel) {
    const std::int64_t lines = std::min(width, count - done);
    std::int32_t each[kMaxInt8Columns] = {};
    for (std::int64_t i = 0; i < lines && zeros.present(); ++i)
      each[i] = zeros[by_line ? first + done + i : 0];
    const std::int64_t start = factor.start + (first + done) * factor.line_step;
    if (factor.data.is_signed) {
      PackLines(static_cast<const std::int8_t*>(factor.data.data) + start, factor, lines, each,
                width, packed);
    } else {
      PackLines(static_cast<const std::uint8_t*>(factor.data.data) + start, factor, lines, each,
                width, packed);
    }
  }
}

}  // namespace dragoman::rt

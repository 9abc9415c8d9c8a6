// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/int8_epilogue.h"

#include <algorithm>
#include <utility>

#include "runtime/fast/clones.h"
#include "runtime/fast/int8_kernels.h"

// Products are rounded before something is added to them, as by the operators one after the other.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

namespace dragoman::rt {
namespace {

// To which a float of at most 2^22 is added, and from which it is subtracted, to be rounded to the
// nearest whole number, of two the even one.
constexpr float kToWhole = 12582912.0f;

DRAGOMAN_RT_INLINE float Limited(float value, float low, float high) {
  value = value > low ? value : low;
  return value < high ? value : high;
}

// quantised(v, grid) - grid.zero
DRAGOMAN_RT_INLINE float OnGrid(float v, const Int8Grid& grid) {
  const auto low = static_cast<float>(grid.low - grid.zero);
  const auto high = static_cast<float>(grid.high - grid.zero);
  return (Limited(v / grid.scale, low, high) + kToWhole) - kToWhole;
}

DRAGOMAN_RT_INLINE std::int32_t Added(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

// Loops run over whole strips of channels, of which there is room in all blocks.
constexpr std::int64_t kEpilogueStrip = 16;
constexpr std::int64_t kBatch = 8;  // lines at a time

// `sums`, of `rows` lines of `step` each, become the values `v`, of lines of kMaxInt8Columns.
DRAGOMAN_RT_CLONES void ScaleSums(const Int8Sums& block, const std::int32_t* added,
                                  const float* scales, const float* bias, const Int8Limits& limits,
                                  float* v) {
  const float low = limits.low, high = limits.high;
  for (std::int64_t r = 0; r < block.rows; ++r) {
    for (std::int64_t strip = 0; strip < block.count; strip += kEpilogueStrip) {
      const std::int32_t* sums = block.sums + r * block.step + strip;
      float* to = v + r * kMaxInt8Columns + strip;
      DRAGOMAN_RT_INDEPENDENT
      for (std::int64_t i = 0; i < kEpilogueStrip; ++i) {
        const auto sum = static_cast<float>(Added(sums[i], added[strip + i]));
        to[i] = Limited(sum * scales[strip + i] + bias[strip + i], low, high);
      }
    }
  }
}

DRAGOMAN_RT_CLONES void RoundTo(const Int8Sums& block, const Int8Grid& grid, float scale,
                                float* v) {
  const Int8Grid g = grid;
  const std::int64_t whole = (block.count + kEpilogueStrip - 1) / kEpilogueStrip * kEpilogueStrip;
  for (std::int64_t r = 0; r < block.rows; ++r, v += kMaxInt8Columns) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < whole; ++i) v[i] = OnGrid(v[i], g) * scale;
  }
}

template <class T>
DRAGOMAN_RT_INLINE void AddLine(const T* residual, std::int64_t step, const Int8Grid& g, float low,
                                float high, std::int64_t count, float* v) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    v[i] = Limited(v[i] + static_cast<float>(residual[i * step] - g.zero) * g.scale, low, high);
}

template <class T>
DRAGOMAN_RT_CLONES void AddResidual(const T* residual, const Int8Sums& block,
                                    const Int8Places& places, const Int8Grid& grid,
                                    const Int8Limits& limits, float* v) {
  const Int8Grid g = grid;
  const float low = limits.low, high = limits.high;
  for (std::int64_t r = 0; r < block.rows; ++r, v += kMaxInt8Columns) {
    const T* line = residual + places.at[r] + block.channel * places.channel_step;
    if (places.channel_step == 1 && block.count == kEpilogueStrip) {
      AddLine(line, 1, g, low, high, kEpilogueStrip, v);
    } else {
      AddLine(line, places.channel_step, g, low, high, block.count, v);
    }
  }
}

template <class T>
DRAGOMAN_RT_INLINE void QuantiseLine(const float* v, const Int8Grid& g, std::int64_t count,
                                     std::int64_t step, T* y) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    y[i * step] = static_cast<T>(static_cast<std::int32_t>(OnGrid(v[i], g)) + g.zero);
}

template <class T>
DRAGOMAN_RT_CLONES void QuantiseSums(const float* v, const Int8Sums& block,
                                     const Int8Places& places, const Int8Grid& grid, T* y) {
  const Int8Grid g = grid;
  for (std::int64_t r = 0; r < block.rows; ++r, v += kMaxInt8Columns) {
    T* line = y + places.at[r] + block.channel * places.channel_step;
    if (places.channel_step == 1 && block.count == kEpilogueStrip) {
      QuantiseLine(v, g, kEpilogueStrip, 1, line);
    } else {
      QuantiseLine(v, g, block.count, places.channel_step, line);
    }
  }
}

void CopyLines(const float* v, const Int8Sums& block, const Int8Places& places, float* y) {
  for (std::int64_t r = 0; r < block.rows; ++r, v += kMaxInt8Columns) {
    float* to = y + places.at[r] + block.channel * places.channel_step;
    if (places.channel_step == 1 && block.count == kEpilogueStrip) {
      std::copy_n(v, kEpilogueStrip, to);
    } else {
      for (std::int64_t i = 0; i < block.count; ++i) to[i * places.channel_step] = v[i];
    }
  }
}

// One element a channel, then as many times `filler` as a strip from any channel on may reach.
template <class T>
std::vector<T> Expanded(TensorView<const T> view, std::int64_t channels, T filler) {
  std::vector<T> values(static_cast<std::size_t>(channels + kEpilogueStrip - 1), filler);
  for (std::int64_t i = 0; i < channels && view.present(); ++i)
    values[static_cast<std::size_t>(i)] = view[view.size() == 1 ? 0 : i];
  return values;
}

}  // namespace

Status Int8Finisher::Init(const Int8Epilogue& epilogue, std::int64_t channels,
                          std::vector<std::int32_t> column_sums) {
  const auto fits = [&](const auto& view) {
    return !view.present() || view.size() == 1 || view.size() == channels;
  };
  if (!fits(epilogue.sum_bias) || !fits(epilogue.bias))
    return Status::Error("the bias has another size");
  if (!fits(epilogue.w_scale)) return Status::Error("scales have other sizes");
  epilogue_ = epilogue;
  is_sum_ = !epilogue.w_scale.present();
  sum_bias_ = added_ = Expanded(epilogue.sum_bias, channels, 0);
  column_sums_ = std::move(column_sums);
  w_scales_ = scales_ = Expanded(epilogue.w_scale, channels, 0.0f);
  for (float& scale : scales_) scale = epilogue.x_scale * scale / epilogue.y_scale;
  bias_ = Expanded(epilogue.bias, channels, -0.0f);  // which changes no float
  return Status();
}

Status Int8Finisher::Begin(std::int32_t left_zero, const float* x_scale, Int8Data residual,
                           Int8Result y) noexcept {
  const bool sums = y.kind == Int8Result::Kind::kI32, reals = y.kind == Int8Result::Kind::kF32;
  if (sums != is_sum_ || residual.present() != epilogue_.residual.present() ||
      (!sums && reals == epilogue_.result.present()) ||
      (x_scale != nullptr) != epilogue_.scaled_at_run) {
    return Status::Error("a product of integers is called with other operands than prepared for");
  }
  for (std::size_t i = 0; i < scales_.size() && x_scale != nullptr; ++i)
    scales_[i] = *x_scale * w_scales_[i] / epilogue_.y_scale;
  for (std::size_t i = 0; i < column_sums_.size(); ++i) {
    const auto taken =
        static_cast<std::uint32_t>(left_zero) * static_cast<std::uint32_t>(column_sums_[i]);
    added_[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum_bias_[i]) - taken);
  }
  return Status();
}

void Int8Finisher::StoreSums(const Int8Sums& block, const Int8Places& places,
                             std::int32_t* y) const noexcept {
  for (std::int64_t r = 0; r < block.rows; ++r) {
    std::int32_t* to = y + places.at[r] + block.channel * places.channel_step;
    const std::int32_t* sums = block.sums + r * block.step;
    const std::int32_t* added = added_.data() + block.channel;
    for (std::int64_t i = 0; i < block.count; ++i)
      to[i * places.channel_step] = Added(sums[i], added[i]);
  }
}

void Int8Finisher::StoreBatch(const Int8Sums& block, const Int8Places& places, Int8Data residual,
                              Int8Result y) const noexcept {
  alignas(64) float v[kBatch * kMaxInt8Columns];
  ScaleSums(block, added_.data() + block.channel, scales_.data() + block.channel,
            bias_.data() + block.channel, epilogue_.limits, v);
  if (epilogue_.through.present()) RoundTo(block, epilogue_.through, epilogue_.through_scale, v);
  if (residual.present() && residual.is_signed) {
    AddResidual(static_cast<const std::int8_t*>(residual.data), block, places, epilogue_.residual,
                epilogue_.sum_limits, v);
  } else if (residual.present()) {
    AddResidual(static_cast<const std::uint8_t*>(residual.data), block, places, epilogue_.residual,
                epilogue_.sum_limits, v);
  }
  if (y.kind == Int8Result::Kind::kF32) {
    CopyLines(v, block, places, static_cast<float*>(y.data));
  } else if (y.kind == Int8Result::Kind::kI8) {
    QuantiseSums(v, block, places, epilogue_.result, static_cast<std::int8_t*>(y.data));
  } else {
    QuantiseSums(v, block, places, epilogue_.result, static_cast<std::uint8_t*>(y.data));
  }
}

void Int8Finisher::Store(const Int8Sums& block, const Int8Places& places, Int8Data residual,
                         Int8Result y) const noexcept {
  if (y.kind == Int8Result::Kind::kI32)
    return StoreSums(block, places, static_cast<std::int32_t*>(y.data));
  for (std::int64_t row = 0; row < block.rows; row += kBatch) {
    Int8Sums batch = block;
    batch.sums += row * block.step;
    batch.rows = std::min(kBatch, block.rows - row);
    StoreBatch(batch, {places.at + row, places.channel_step}, residual, y);
  }
}

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/int8_pool.h"

#include <algorithm>
#include <new>

#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {
namespace {

constexpr int kAxes = 3;
constexpr std::int64_t kPoolGrain = 1 << 16;  // comparisons that a thread is worth

template <class T>
DRAGOMAN_RT_CLONES void TakeGreater(const T* x, std::int64_t count, T* y) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t c = 0; c < count; ++c) y[c] = x[c] > y[c] ? x[c] : y[c];
}

// The range of taps of window `position` that are elements of x.
void UsedTaps(const WindowAxis& axis, std::int64_t position, std::int64_t* begin,
              std::int64_t* end) {
  const std::int64_t start = position * axis.stride - axis.pad_begin;
  const auto taps_before = [&](std::int64_t element) {
    return std::clamp<std::int64_t>((element - start + axis.dilation - 1) / axis.dilation, 0,
                                    axis.kernel);
  };
  *begin = start < 0 ? taps_before(0) : 0;
  *end = start < axis.input ? taps_before(axis.input) : 0;
}

bool SeesElements(const WindowAxis& axis) {
  for (std::int64_t i = 0; i < axis.output; ++i) {
    std::int64_t begin, end;
    UsedTaps(axis, i, &begin, &end);
    if (begin >= end) return false;
  }
  return true;
}

}  // namespace

bool PreparedInt8Pool::Supports(const MaxPoolParams& p, const Shape& x) {
  Window window;
  if (x.size() < 3 || x.size() > kAxes + 2 || NumElements(x) == 0 ||
      !MaxPoolWindow(p, x, &window).ok()) {
    return false;
  }
  return std::all_of(window.axes, window.axes + window.rank,
                     [](const WindowAxis& axis) { return axis.output > 0 && SeesElements(axis); });
}

Status PreparedInt8Pool::Init(const FastContext&, const MaxPoolParams& p, const Shape& x,
                              ChannelsLast layout) noexcept {
  if (!Supports(p, x)) return Status::Error("this pool of integers is not supported");
  Window window;
  DRAGOMAN_RT_TRY(MaxPoolWindow(p, x, &window));
  DRAGOMAN_RT_TRY(MaxPoolShape(p, x, &y_));
  x_ = x;
  layout_ = layout;
  input_ = window.InputSize();
  output_ = window.OutputSize();
  WindowAxis axes[kAxes];
  for (WindowAxis& axis : axes) axis.input = axis.output = 1;
  std::copy_n(window.axes, window.rank, axes + kAxes - window.rank);
  DRAGOMAN_RT_GUARDED {
    for (std::int64_t position = 0; position < output_; ++position) {
      begins_.push_back(static_cast<std::int64_t>(taps_.size()));
      std::int64_t rest = position, at[kAxes], begin[kAxes], end[kAxes];
      for (int i = kAxes - 1; i >= 0; --i) {
        at[i] = rest % axes[i].output;
        rest /= axes[i].output;
        UsedTaps(axes[i], at[i], &begin[i], &end[i]);
      }
      const auto element = [&](int i, std::int64_t tap) {
        return at[i] * axes[i].stride - axes[i].pad_begin + tap * axes[i].dilation;
      };
      for (std::int64_t a = begin[0]; a < end[0]; ++a) {
        for (std::int64_t b = begin[1]; b < end[1]; ++b) {
          for (std::int64_t c = begin[2]; c < end[2]; ++c) {
            const std::int64_t row = element(0, a) * axes[1].input + element(1, b);
            taps_.push_back(row * axes[2].input + element(2, c));
          }
        }
      }
    }
    begins_.push_back(static_cast<std::int64_t>(taps_.size()));
  }
  DRAGOMAN_RT_CAUGHT(std::bad_alloc) { return Status::Error("out of memory"); }
  return Status();
}

template <class T>
void PreparedInt8Pool::RunAs(const T* x, T* y, void* scratch) const noexcept {
  const std::int64_t channels = x_[1];
  auto* x_last = static_cast<std::uint8_t*>(scratch);
  auto* y_last = x_last + (layout_.x ? 0 : NumElements(x_));
  if (!layout_.x)
    RowMajorToChannelsLast({reinterpret_cast<const std::uint8_t*>(x), x_}, {x_last, x_});
  const T* from = layout_.x ? x : reinterpret_cast<const T*>(x_last);
  T* to = layout_.y ? y : reinterpret_cast<T*>(y_last);
  const std::int64_t work = channels * static_cast<std::int64_t>(taps_.size()) / output_;
  Parallel(x_[0] * output_, kPoolGrain / work + 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto position = static_cast<std::size_t>(i % output_);
      const T* sample = from + i / output_ * input_ * channels;
      const auto first = static_cast<std::size_t>(begins_[position]);
      std::copy_n(sample + taps_[first] * channels, channels, to + i * channels);
      for (std::size_t k = first + 1; k < static_cast<std::size_t>(begins_[position + 1]); ++k)
        TakeGreater(sample + taps_[k] * channels, channels, to + i * channels);
    }
  });
  if (!layout_.y) ChannelsLastToRowMajor({y_last, y_}, {reinterpret_cast<std::uint8_t*>(y), y_});
}

Status PreparedInt8Pool::Run(const std::uint8_t* x, std::uint8_t* y, void* scratch) noexcept {
  RunAs(x, y, scratch);
  return Status();
}

Status PreparedInt8Pool::Run(const std::int8_t* x, std::int8_t* y, void* scratch) noexcept {
  RunAs(x, y, scratch);
  return Status();
}

std::int64_t PreparedInt8Pool::ScratchBytes() const noexcept {
  return (layout_.x ? 0 : NumElements(x_)) + (layout_.y ? 0 : NumElements(y_));
}

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sliding windows over spatial axes: the sizes that Conv, ConvTranspose and the pools share.
#ifndef DRAGOMAN_RUNTIME_PARAMS_WINDOW_H_
#define DRAGOMAN_RUNTIME_PARAMS_WINDOW_H_

#include <algorithm>
#include <cstdint>

#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Spatial axes follow batch and channel.
inline constexpr int kMaxSpatialRank = kMaxRank - 2;

// Sizes, kernels, strides, dilations and pads beyond this are refused, so that sums of products of
// two of them stay within int64.
inline constexpr std::int64_t kMaxExtent = std::int64_t{1} << 30;

// kNotSet takes `pads` as given; kSameUpper and kSameLower pad so that output = ceil(input /
// stride), the odd element at the end or at the beginning; kValid does not pad.
enum class AutoPad { kNotSet, kSameUpper, kSameLower, kValid };

constexpr const char* Name(AutoPad auto_pad) {
  constexpr const char* kNames[] = {"kNotSet", "kSameUpper", "kSameLower", "kValid"};
  return kNames[static_cast<int>(auto_pad)];
}

// One axis, resolved. Tap k of output o reads input o * stride - pad_begin + k * dilation.
struct WindowAxis {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad_begin = 0;
  std::int64_t pad_end = 0;

  // The input elements from the first tap to the last.
  constexpr std::int64_t Span() const { return (kernel - 1) * dilation + 1; }
};

struct Window {
  int rank = 0;
  WindowAxis axes[kMaxSpatialRank];

  constexpr std::int64_t InputSize() const { return Product(&WindowAxis::input); }
  constexpr std::int64_t OutputSize() const { return Product(&WindowAxis::output); }
  constexpr std::int64_t Taps() const { return Product(&WindowAxis::kernel); }

 private:
  constexpr std::int64_t Product(std::int64_t WindowAxis::*member) const {
    std::int64_t product = 1;
    for (int i = 0; i < rank; ++i) product *= axes[i].*member;
    return product;
  }
};

// The attributes that describe a window; an empty list stands for its default (ones, or no
// padding).
struct WindowSpec {
  AutoPad auto_pad = AutoPad::kNotSet;
  bool ceil_mode = false;
  Ints dilations;
  Ints kernel_shape;
  Ints pads;
  Ints strides;
};

// The window that the attributes of a pool describe.
template <class P>
constexpr WindowSpec PoolWindowSpec(const P& p) {
  return {p.auto_pad, p.ceil_mode, p.dilations, p.kernel_shape, p.pads, p.strides};
}

namespace internal {

constexpr bool ListFits(const Ints& list, int size, std::int64_t lowest) {
  if (!list.empty() && list.size() != size) return false;
  for (std::int64_t v : list) {
    if (v < lowest || v > kMaxExtent) return false;
  }
  return true;
}

constexpr std::int64_t FloorDiv(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// Sets pads and output for SAME_UPPER and SAME_LOWER.
constexpr void ResolveSame(bool upper, WindowAxis* axis) {
  axis->output = (axis->input + axis->stride - 1) / axis->stride;
  const std::int64_t total =
      std::max<std::int64_t>(0, (axis->output - 1) * axis->stride + axis->Span() - axis->input);
  axis->pad_begin = upper ? total / 2 : total - total / 2;
  axis->pad_end = total - axis->pad_begin;
}

// Sets output for given pads. A window that would start in the padding at the end is dropped.
constexpr void ResolvePadded(bool ceil_mode, WindowAxis* axis) {
  const std::int64_t room = axis->input + axis->pad_begin + axis->pad_end - axis->Span();
  axis->output = FloorDiv(room + (ceil_mode ? axis->stride - 1 : 0), axis->stride) + 1;
  if (ceil_mode && (axis->output - 1) * axis->stride >= axis->input + axis->pad_begin) {
    --axis->output;
  }
}

}  // namespace internal

// Checks the lists of `spec` against `spatial_rank` and copies them into `window`, without sizes.
constexpr Status ReadWindow(const WindowSpec& spec, int spatial_rank, Window* window) {
  using internal::ListFits;
  *window = Window();
  if (spatial_rank < 1 || spatial_rank > kMaxSpatialRank) {
    return Status::Error("operand must have batch, channel and 1 to 6 spatial axes");
  }
  if (spec.kernel_shape.size() != spatial_rank || !ListFits(spec.kernel_shape, spatial_rank, 1)) {
    return Status::Error("kernel_shape must give a positive size for each spatial axis");
  }
  if (!ListFits(spec.strides, spatial_rank, 1)) {
    return Status::Error("strides must give a positive step for each spatial axis");
  }
  if (!ListFits(spec.dilations, spatial_rank, 1)) {
    return Status::Error("dilations must give a positive step for each spatial axis");
  }
  if (!ListFits(spec.pads, 2 * spatial_rank, 0)) {
    return Status::Error("pads must give two non-negative sizes for each spatial axis");
  }
  window->rank = spatial_rank;
  for (int i = 0; i < spatial_rank; ++i) {
    WindowAxis& axis = window->axes[i];
    axis.kernel = spec.kernel_shape[i];
    if (!spec.strides.empty()) axis.stride = spec.strides[i];
    if (!spec.dilations.empty()) axis.dilation = spec.dilations[i];
    if (!spec.pads.empty() && spec.auto_pad == AutoPad::kNotSet) {
      axis.pad_begin = spec.pads[i];
      axis.pad_end = spec.pads[i + spatial_rank];
    }
  }
  return Status();
}

// Resolves a window over `input` (N, C, spatial...): ONNX's rules for Conv and the pools.
constexpr Status ResolveWindow(const WindowSpec& spec, const Shape& input, Window* window) {
  DRAGOMAN_RT_TRY(ReadWindow(spec, input.size() - 2, window));
  for (int i = 0; i < window->rank; ++i) {
    WindowAxis& axis = window->axes[i];
    axis.input = input[i + 2];
    if (axis.input < 0 || axis.input > kMaxExtent)
      return Status::Error("spatial size out of range");
    const bool same = spec.auto_pad == AutoPad::kSameUpper || spec.auto_pad == AutoPad::kSameLower;
    if (same) {
      internal::ResolveSame(spec.auto_pad == AutoPad::kSameUpper, &axis);
    } else {
      internal::ResolvePadded(spec.ceil_mode, &axis);
    }
    if (axis.output < 1) return Status::Error("window is larger than the padded operand");
  }
  return Status();
}

// `batch`, `channels`, then the outputs of `window`. Fails when the element count leaves int64.
constexpr Status WindowOutputShape(std::int64_t batch, std::int64_t channels, const Window& window,
                                   Shape* output) {
  output->resize(0);
  output->push_back(batch);
  output->push_back(channels);
  for (int i = 0; i < window.rank; ++i) output->push_back(window.axes[i].output);
  std::int64_t count = 1;
  for (std::int64_t size : *output) {
    if (size < 0) return Status::Error("negative size");
    if (size != 0 && count > INT64_MAX / size) return Status::Error("result is too large");
    count *= size;
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_WINDOW_H_

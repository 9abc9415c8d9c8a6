// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of ConvTranspose.
#ifndef DRAGOMAN_RUNTIME_PARAMS_CONV_TRANSPOSE_H_
#define DRAGOMAN_RUNTIME_PARAMS_CONV_TRANSPOSE_H_

#include <algorithm>
#include <cstdint>

#include "runtime/params/conv.h"
#include "runtime/params/window.h"

namespace dragoman::rt {

// An empty kernel_shape is read off the weight. output_shape, where given, names spatial sizes only
// and replaces pads.
struct ConvTransposeParams {
  AutoPad auto_pad = AutoPad::kNotSet;
  Ints dilations;
  std::int64_t group = 1;
  Ints kernel_shape;
  Ints output_padding;
  Ints output_shape;
  Ints pads;
  Ints strides;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("auto_pad", self.auto_pad);
    f("dilations", self.dilations);
    f("group", self.group);
    f("kernel_shape", self.kernel_shape);
    f("output_padding", self.output_padding);
    f("output_shape", self.output_shape);
    f("pads", self.pads);
    f("strides", self.strides);
  }
};

namespace internal {

// Sets pads and output of one axis whose input is known. `wanted` < 0: no output_shape.
constexpr Status ResolveTransposed(AutoPad auto_pad, std::int64_t output_padding,
                                   std::int64_t wanted, WindowAxis* axis) {
  const std::int64_t full = (axis->input - 1) * axis->stride + output_padding + axis->Span();
  const bool same = auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower;
  if (wanted < 0 && same) wanted = axis->input * axis->stride;
  if (wanted < 0) {
    axis->output = full - axis->pad_begin - axis->pad_end;
  } else {
    const std::int64_t total = std::max<std::int64_t>(0, full - wanted);
    axis->pad_begin = auto_pad == AutoPad::kSameUpper ? total / 2 : total - total / 2;
    axis->pad_end = total - axis->pad_begin;
    axis->output = wanted;
  }
  if (axis->output < 1) return Status::Error("result would be empty");
  return Status();
}

}  // namespace internal

// Resolves the window of the result: its *outputs* are x's elements seen from the convolution that
// this op transposes. So axes[i].input is a size of x, axes[i].output one of the result, and input
// i, tap k contributes to output i * stride - pad_begin + k * dilation. A result larger than all
// contributions (output_shape, SAME with stride > kernel) holds the bias alone at its end.
constexpr Status ConvTransposeWindow(const ConvTransposeParams& p, const Shape& x, const Shape& w,
                                     Window* window) {
  ConvParams conv;
  conv.auto_pad = p.auto_pad;
  conv.dilations = p.dilations;
  conv.group = p.group;
  conv.kernel_shape = p.kernel_shape;
  conv.pads = p.pads;
  conv.strides = p.strides;
  DRAGOMAN_RT_TRY(internal::CheckConvOperands(conv, x, w));
  if (w[0] != x[1]) return Status::Error("channels of operand and weight differ");
  if (x[1] % p.group != 0) return Status::Error("channels are not divisible by group");
  const int rank = x.size() - 2;
  if (!internal::ListFits(p.output_padding, rank, 0)) {
    return Status::Error("output_padding must give a non-negative size for each spatial axis");
  }
  if (!internal::ListFits(p.output_shape, rank, 1)) {
    return Status::Error("output_shape must give a positive size for each spatial axis");
  }
  DRAGOMAN_RT_TRY(ReadWindow(internal::ConvWindowSpec(conv, w), rank, window));
  for (int i = 0; i < rank; ++i) {
    WindowAxis& axis = window->axes[i];
    axis.input = x[i + 2];
    if (axis.input < 1 || axis.input > kMaxExtent)
      return Status::Error("spatial size out of range");
    DRAGOMAN_RT_TRY(
        internal::ResolveTransposed(p.auto_pad, p.output_padding.empty() ? 0 : p.output_padding[i],
                                    p.output_shape.empty() ? -1 : p.output_shape[i], &axis));
  }
  return Status();
}

// w is (C, M / group, kernel...), y is (N, M, spatial...).
constexpr Status ConvTransposeShape(const ConvTransposeParams& p, const Shape& x, const Shape& w,
                                    Shape* y) {
  Window window;
  DRAGOMAN_RT_TRY(ConvTransposeWindow(p, x, w, &window));
  if (p.group > kMaxExtent) return Status::Error("group out of range");
  return WindowOutputShape(x[0], w[1] * p.group, window, y);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_CONV_TRANSPOSE_H_

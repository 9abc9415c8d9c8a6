// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of Conv, ConvInteger and QLinearConv.
#ifndef DRAGOMAN_RUNTIME_PARAMS_CONV_H_
#define DRAGOMAN_RUNTIME_PARAMS_CONV_H_

#include <cstdint>

#include "runtime/params/window.h"

namespace dragoman::rt {

// An empty kernel_shape is read off the weight.
struct ConvParams {
  AutoPad auto_pad = AutoPad::kNotSet;
  Ints dilations;
  std::int64_t group = 1;
  Ints kernel_shape;
  Ints pads;
  Ints strides;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("auto_pad", self.auto_pad);
    f("dilations", self.dilations);
    f("group", self.group);
    f("kernel_shape", self.kernel_shape);
    f("pads", self.pads);
    f("strides", self.strides);
  }
};

namespace internal {

constexpr Status CheckConvOperands(const ConvParams& p, const Shape& x, const Shape& w) {
  if (x.size() < 3 || w.size() != x.size()) {
    return Status::Error("operand and weight must have batch, channel and equal spatial ranks");
  }
  if (p.group < 1) return Status::Error("group must be positive");
  for (int i = 0; i < w.size(); ++i) {
    if (w[i] < 0 || w[i] > kMaxExtent) return Status::Error("weight size out of range");
  }
  for (int i = 2; i < w.size() && !p.kernel_shape.empty(); ++i) {
    if (p.kernel_shape.size() != w.size() - 2 || p.kernel_shape[i - 2] != w[i]) {
      return Status::Error("kernel_shape differs from the weight's sizes");
    }
  }
  return Status();
}

// The window's lists, kernel_shape read off the weight.
constexpr WindowSpec ConvWindowSpec(const ConvParams& p, const Shape& w) {
  WindowSpec spec;
  spec.auto_pad = p.auto_pad;
  spec.dilations = p.dilations;
  spec.pads = p.pads;
  spec.strides = p.strides;
  for (int i = 2; i < w.size(); ++i) spec.kernel_shape.push_back(w[i]);
  return spec;
}

}  // namespace internal

// Resolves the window of x (N, C, spatial...) under w (M, C / group, kernel...). Checks everything
// that the kernel relies on.
constexpr Status ConvWindow(const ConvParams& p, const Shape& x, const Shape& w, Window* window) {
  DRAGOMAN_RT_TRY(internal::CheckConvOperands(p, x, w));
  if (x[1] % p.group != 0 || w[1] != x[1] / p.group) {
    return Status::Error("channels of the operand differ from group times channels of the weight");
  }
  if (w[0] % p.group != 0) return Status::Error("result channels are not divisible by group");
  return ResolveWindow(internal::ConvWindowSpec(p, w), x, window);
}

constexpr Status ConvShape(const ConvParams& p, const Shape& x, const Shape& w, Shape* y) {
  Window window;
  DRAGOMAN_RT_TRY(ConvWindow(p, x, w, &window));
  return WindowOutputShape(x[0], w[0], window, y);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_CONV_H_

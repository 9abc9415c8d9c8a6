// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of AveragePool.
#ifndef DRAGOMAN_RUNTIME_PARAMS_AVERAGE_POOL_H_
#define DRAGOMAN_RUNTIME_PARAMS_AVERAGE_POOL_H_

#include <cstdint>

#include "runtime/params/window.h"

namespace dragoman::rt {

// count_include_pad divides by the taps inside the padded operand instead of those inside the
// operand.
struct AveragePoolParams {
  AutoPad auto_pad = AutoPad::kNotSet;
  bool ceil_mode = false;
  bool count_include_pad = false;
  Ints dilations;
  Ints kernel_shape;
  Ints pads;
  Ints strides;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("auto_pad", self.auto_pad);
    f("ceil_mode", self.ceil_mode);
    f("count_include_pad", self.count_include_pad);
    f("dilations", self.dilations);
    f("kernel_shape", self.kernel_shape);
    f("pads", self.pads);
    f("strides", self.strides);
  }
};

// Resolves the window over x (N, C, spatial...). Checks everything that the kernel relies on.
constexpr Status AveragePoolWindow(const AveragePoolParams& p, const Shape& x, Window* window) {
  return ResolveWindow(PoolWindowSpec(p), x, window);
}

constexpr Status AveragePoolShape(const AveragePoolParams& p, const Shape& x, Shape* y) {
  Window window;
  DRAGOMAN_RT_TRY(AveragePoolWindow(p, x, &window));
  return WindowOutputShape(x[0], x[1], window, y);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_AVERAGE_POOL_H_

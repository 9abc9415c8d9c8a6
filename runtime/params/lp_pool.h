// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of LpPool.
#ifndef DRAGOMAN_RUNTIME_PARAMS_LP_POOL_H_
#define DRAGOMAN_RUNTIME_PARAMS_LP_POOL_H_

#include <cstdint>

#include "runtime/params/window.h"

namespace dragoman::rt {

struct LpPoolParams {
  AutoPad auto_pad = AutoPad::kNotSet;
  bool ceil_mode = false;
  Ints dilations;
  Ints kernel_shape;
  std::int64_t p = 2;
  Ints pads;
  Ints strides;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("auto_pad", self.auto_pad);
    f("ceil_mode", self.ceil_mode);
    f("dilations", self.dilations);
    f("kernel_shape", self.kernel_shape);
    f("p", self.p);
    f("pads", self.pads);
    f("strides", self.strides);
  }
};

// Resolves the window over x (N, C, spatial...). Checks everything that the kernel relies on.
constexpr Status LpPoolWindow(const LpPoolParams& p, const Shape& x, Window* window) {
  if (p.p < 1) return Status::Error("p must be positive");
  return ResolveWindow(PoolWindowSpec(p), x, window);
}

constexpr Status LpPoolShape(const LpPoolParams& p, const Shape& x, Shape* y) {
  Window window;
  DRAGOMAN_RT_TRY(LpPoolWindow(p, x, &window));
  return WindowOutputShape(x[0], x[1], window, y);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_LP_POOL_H_

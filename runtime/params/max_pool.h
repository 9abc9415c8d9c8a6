// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of MaxPool.
#ifndef DRAGOMAN_RUNTIME_PARAMS_MAX_POOL_H_
#define DRAGOMAN_RUNTIME_PARAMS_MAX_POOL_H_

#include <cstdint>

#include "runtime/params/window.h"

namespace dragoman::rt {

// storage_order 1 numbers the elements of a plane with its first spatial axis innermost (Indices
// only).
struct MaxPoolParams {
  AutoPad auto_pad = AutoPad::kNotSet;
  bool ceil_mode = false;
  Ints dilations;
  Ints kernel_shape;
  Ints pads;
  std::int64_t storage_order = 0;
  Ints strides;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("auto_pad", self.auto_pad);
    f("ceil_mode", self.ceil_mode);
    f("dilations", self.dilations);
    f("kernel_shape", self.kernel_shape);
    f("pads", self.pads);
    f("storage_order", self.storage_order);
    f("strides", self.strides);
  }
};

// Resolves the window over x (N, C, spatial...). Checks everything that the kernel relies on.
constexpr Status MaxPoolWindow(const MaxPoolParams& p, const Shape& x, Window* window) {
  return ResolveWindow(PoolWindowSpec(p), x, window);
}

constexpr Status MaxPoolShape(const MaxPoolParams& p, const Shape& x, Shape* y) {
  Window window;
  DRAGOMAN_RT_TRY(MaxPoolWindow(p, x, &window));
  return WindowOutputShape(x[0], x[1], window, y);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_MAX_POOL_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of MaxUnpool.
#ifndef DRAGOMAN_RUNTIME_PARAMS_MAX_UNPOOL_H_
#define DRAGOMAN_RUNTIME_PARAMS_MAX_UNPOOL_H_

#include <cstdint>

#include "runtime/params/window.h"

namespace dragoman::rt {

struct MaxUnpoolParams {
  Ints kernel_shape;
  Ints pads;
  Ints strides;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("kernel_shape", self.kernel_shape);
    f("pads", self.pads);
    f("strides", self.strides);
  }
};

// The sizes that the indices count in: those which MaxPool with these attributes would pool to x,
// (size - 1) * stride - pads + kernel on each spatial axis.
constexpr Status MaxUnpoolIndexedShape(const MaxUnpoolParams& p, const Shape& x, Shape* indexed) {
  WindowSpec spec;
  spec.kernel_shape = p.kernel_shape;
  spec.pads = p.pads;
  spec.strides = p.strides;
  Window window;
  DRAGOMAN_RT_TRY(ReadWindow(spec, x.size() - 2, &window));
  for (int i = 0; i < window.rank; ++i) {
    WindowAxis& axis = window.axes[i];
    axis.input = x[i + 2];
    if (axis.input < 1 || axis.input > kMaxExtent)
      return Status::Error("spatial size out of range");
    axis.output = (axis.input - 1) * axis.stride - axis.pad_begin - axis.pad_end + axis.kernel;
    if (axis.output < 1) return Status::Error("result would be empty");
  }
  return WindowOutputShape(x[0], x[1], window, indexed);
}

// `output_shape` has every size of the result, or is empty for the sizes that the indices count in.
constexpr Status MaxUnpoolShape(const MaxUnpoolParams& p, const Shape& x, const Shape& indices,
                                IntSpan output_shape, Shape* y) {
  if (indices != x) return Status::Error("sizes of the indices differ from the operand's");
  DRAGOMAN_RT_TRY(MaxUnpoolIndexedShape(p, x, y));
  if (output_shape.data == nullptr) return Status();
  if (output_shape.size != x.size()) return Status::Error("output_shape must give every size");
  if (output_shape[0] != x[0] || output_shape[1] != x[1]) {
    return Status::Error("output_shape changes batch or channels");
  }
  Window window;
  window.rank = x.size() - 2;
  for (int i = 0; i < window.rank; ++i) window.axes[i].output = output_shape[i + 2];
  return WindowOutputShape(x[0], x[1], window, y);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_MAX_UNPOOL_H_

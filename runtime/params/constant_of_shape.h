// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of ConstantOfShape.
#ifndef DRAGOMAN_RUNTIME_PARAMS_CONSTANT_OF_SHAPE_H_
#define DRAGOMAN_RUNTIME_PARAMS_CONSTANT_OF_SHAPE_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// The bits of the element that the attribute `value` holds, zero-extended.
struct ConstantOfShapeParams {
  std::int64_t bits = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("bits", self.bits);
  }
};

constexpr Status ConstantOfShapeShape(const ConstantOfShapeParams&, IntSpan input, Shape* output) {
  return ShapeFromSpan(input, output);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_CONSTANT_OF_SHAPE_H_

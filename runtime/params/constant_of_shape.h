// Sizes of ConstantOfShape.
#ifndef DRAGOMAN_RUNTIME_PARAMS_CONSTANT_OF_SHAPE_H_
#define DRAGOMAN_RUNTIME_PARAMS_CONSTANT_OF_SHAPE_H_

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

constexpr Status ConstantOfShapeShape(IntSpan input, Shape* output) {
  return ShapeFromSpan(input, output);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_CONSTANT_OF_SHAPE_H_

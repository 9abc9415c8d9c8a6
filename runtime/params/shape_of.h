// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of Shape.
#ifndef DRAGOMAN_RUNTIME_PARAMS_SHAPE_OF_H_
#define DRAGOMAN_RUNTIME_PARAMS_SHAPE_OF_H_

#include <cstdint>
#include <limits>

#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Both bounds count from the back when negative and are clamped to [0, rank]. The default of `end`
// stands for the rank.
struct ShapeParams {
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  std::int64_t start = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("end", self.end);
    f("start", self.start);
  }
};

// A bound counted from the front and clamped.
constexpr int ShapeBound(std::int64_t bound, int rank) {
  if (bound < 0) bound += rank;
  if (bound < 0) return 0;
  return bound > rank ? rank : static_cast<int>(bound);
}

constexpr Status ShapeOfShape(const ShapeParams& p, const Shape& data, Shape* shape) {
  const int start = ShapeBound(p.start, data.size());
  const int end = ShapeBound(p.end, data.size());
  *shape = {end > start ? end - start : 0};
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_SHAPE_OF_H_

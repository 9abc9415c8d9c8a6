// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of Unique.
#ifndef DRAGOMAN_RUNTIME_PARAMS_UNIQUE_H_
#define DRAGOMAN_RUNTIME_PARAMS_UNIQUE_H_

#include <cstdint>

#include "runtime/params/compress.h"

namespace dragoman::rt {

// Without an axis the operand is flattened. Unsorted, results come in order of first occurrence.
struct UniqueParams {
  bool has_axis = false;
  std::int64_t axis = 0;
  bool sorted = true;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("has_axis", self.has_axis);
    f("axis", self.axis);
    f("sorted", self.sorted);
  }
};

// The sizes of Y; `count` is UniqueCount's. The sizes of indices and counts are {count}, that of
// inverse_indices the size of the axis, or all elements.
constexpr Status UniqueShape(const UniqueParams& p, const Shape& x, std::int64_t count, Shape* y) {
  CompressParams same;
  same.has_axis = p.has_axis;
  same.axis = p.axis;
  return CompressShape(same, x, count, y);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_UNIQUE_H_

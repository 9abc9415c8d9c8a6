// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over a tensor's positions in row-major order.
#ifndef DRAGOMAN_RUNTIME_KERNELS_POSITION_H_
#define DRAGOMAN_RUNTIME_KERNELS_POSITION_H_

#include <cstdint>

#include "runtime/params/shape.h"

namespace dragoman::rt {

// A position and the offset in elements that given strides make of it.
class Position {
 public:
  Position(const Shape& sizes, const Shape& strides)
      : sizes_(sizes), strides_(strides), at_(Shape::Filled(sizes.size(), 0)) {}

  void Next() {
    for (int axis = sizes_.size() - 1; axis >= 0; --axis) {
      offset_ += strides_[axis];
      if (++at_[axis] < sizes_[axis]) return;
      offset_ -= strides_[axis] * sizes_[axis];
      at_[axis] = 0;
    }
  }
  std::int64_t operator[](int axis) const { return at_[axis]; }
  std::int64_t offset() const { return offset_; }

 private:
  Shape sizes_;
  Shape strides_;
  Shape at_;
  std::int64_t offset_ = 0;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_POSITION_H_

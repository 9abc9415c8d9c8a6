// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was prepared lately, for operators of run-time sizes: bounded, so that a
// program that sees ever new sizes does not grow.
#ifndef DRAGOMAN_RUNTIME_FAST_SHAPE_CACHE_H_
#define DRAGOMAN_RUNTIME_FAST_SHAPE_CACHE_H_

#include <cstdint>

#include "runtime/params/shape.h"

namespace dragoman::rt {

// Of the kSize sizes that were used last, the operator of each.
template <class Prepared, int kSize = 4>
class ShapeCache {
 public:
  // The operator for `shape`, or null if there is none.
  Prepared* Find(const Shape& shape) {
    for (Slot& slot : slots_) {
      if (slot.used == 0 || !(slot.shape == shape)) continue;
      slot.used = ++clock_;
      return &slot.prepared;
    }
    return nullptr;
  }

  // Takes `prepared` in, in place of the one whose last use was the longest ago.
  Prepared* Insert(const Shape& shape, Prepared prepared) {
    Slot* oldest = &slots_[0];
    for (Slot& slot : slots_) {
      if (slot.used < oldest->used) oldest = &slot;
    }
    *oldest = {shape, ++clock_, static_cast<Prepared&&>(prepared)};
    return &oldest->prepared;
  }

 private:
  struct Slot {
    Shape shape;
    std::int64_t used = 0;  // when; 0: never
    Prepared prepared;
  };

  Slot slots_[kSize];
  std::int64_t clock_ = 0;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_SHAPE_CACHE_H_

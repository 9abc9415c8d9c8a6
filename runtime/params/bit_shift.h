// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of BitShift.
#ifndef DRAGOMAN_RUNTIME_PARAMS_BIT_SHIFT_H_
#define DRAGOMAN_RUNTIME_PARAMS_BIT_SHIFT_H_

namespace dragoman::rt {

enum class BitShiftDirection { kLeft, kRight };

constexpr const char* Name(BitShiftDirection direction) {
  return direction == BitShiftDirection::kLeft ? "kLeft" : "kRight";
}

struct BitShiftParams {
  BitShiftDirection direction = BitShiftDirection::kLeft;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("direction", self.direction);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_BIT_SHIFT_H_

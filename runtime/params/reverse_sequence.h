// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of ReverseSequence.
#ifndef DRAGOMAN_RUNTIME_PARAMS_REVERSE_SEQUENCE_H_
#define DRAGOMAN_RUNTIME_PARAMS_REVERSE_SEQUENCE_H_

#include <cstdint>

#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// One axis is 0, the other 1.
struct ReverseSequenceParams {
  std::int64_t batch_axis = 1;
  std::int64_t time_axis = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("batch_axis", self.batch_axis);
    f("time_axis", self.time_axis);
  }
};

constexpr Status ReverseSequenceShape(const ReverseSequenceParams& p, const Shape& input,
                                      const Shape& sequence_lens, Shape* y) {
  *y = input;
  const bool axes = p.time_axis + p.batch_axis == 1 && (p.time_axis == 0 || p.time_axis == 1);
  if (!axes || input.size() < 2) return Status::Error("an axis is out of range");
  if (sequence_lens != Shape{input[static_cast<int>(p.batch_axis)]}) {
    return Status::Error("sequence_lens does not hold one length a batch entry");
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_REVERSE_SEQUENCE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of NonMaxSuppression.
#ifndef DRAGOMAN_RUNTIME_PARAMS_NON_MAX_SUPPRESSION_H_
#define DRAGOMAN_RUNTIME_PARAMS_NON_MAX_SUPPRESSION_H_

#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

struct NonMaxSuppressionParams {
  // Boxes are (x center, y center, width, height), else two opposite corners (y1, x1, y2, x2).
  bool center_point_box = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("center_point_box", self.center_point_box);
  }
};

// Boxes are (batch, N, 4), scores (batch, classes, N).
constexpr Status CheckNonMaxSuppression(const Shape& boxes, const Shape& scores) {
  if (boxes.size() != 3 || scores.size() != 3) return Status::Error("operands 0 and 1 have rank 3");
  if (boxes[2] != 4) return Status::Error("a box has 4 numbers");
  if (boxes[0] != scores[0] || boxes[1] != scores[2]) {
    return Status::Error("boxes and scores differ in their batches or numbers of boxes");
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_NON_MAX_SUPPRESSION_H_

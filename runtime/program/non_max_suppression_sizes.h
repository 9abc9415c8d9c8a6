// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of NonMaxSuppression's result, from its operands.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_NON_MAX_SUPPRESSION_SIZES_H_
#define DRAGOMAN_RUNTIME_PROGRAM_NON_MAX_SUPPRESSION_SIZES_H_

#include <cstdint>

#include "runtime/kernels/non_max_suppression.h"
#include "runtime/params/status.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

template <class T>
Status NonMaxSuppressionSizes(const NonMaxSuppressionParams& p, TensorView<const T> boxes,
                              TensorView<const T> scores, TensorView<const std::int64_t> max_output,
                              TensorView<const T> iou_threshold,
                              TensorView<const T> score_threshold, Memory& scratch,
                              Shape* selected) {
  DRAGOMAN_RT_TRY(CheckNonMaxSuppression(boxes.shape, scores.shape));
  DRAGOMAN_RT_TRY(scratch.Reserve(NonMaxSuppressionScratchBytes<T>(
      p, boxes, scores, max_output, iou_threshold, score_threshold, {})));
  *selected = {NonMaxSuppressionCount<T>(p, boxes, scores, max_output, iou_threshold,
                                         score_threshold, scratch.data()),
               3};
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_NON_MAX_SUPPRESSION_SIZES_H_

// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/non_max_suppression.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferNonMaxSuppression(InferContext& context) {
  if (const Shape* boxes = context.shape(0), *scores = context.shape(1); boxes && scores) {
    if (boxes->size() != 3 || scores->size() != 3) {
      return context.Fail("operands 0 and 1 must have rank 3");
    }
    DRAGOMAN_TRY(SameSize(context, (*boxes)[0], (*scores)[0]));
    DRAGOMAN_TRY(SameSize(context, (*boxes)[1], (*scores)[2]));
    DRAGOMAN_TRY(SameSize(context, (*boxes)[2], Dim(4)));
  }
  context.SetShape(0, Shape{context.FreshDim(0), Dim(3)});
  return {};
}

}  // namespace

std::vector<OpDef> NonMaxSuppressionOps() {
  return {Op("NonMaxSuppression", {10, 11},
             "(boxes: f32, scores: f32, max_output_boxes_per_class: i64?, iou_threshold: f32?, "
             "score_threshold: f32?) -> (selected_indices: i64)",
             "")
              .Attributes<rt::NonMaxSuppressionParams>()
              .Infer(InferNonMaxSuppression)
              .Sizes({.function = "NonMaxSuppressionSizes",
                      .header = "runtime/program/non_max_suppression_sizes.h",
                      .arguments = "p x0 x1 x2 x3 x4 m",
                      .types = "f32"})
              .Kernel({.header = "runtime/kernels/non_max_suppression.h",
                       .types = "f32",
                       .scratch = true})};
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// Pools of regions of images: RoiAlign and MaxRoiPool.
#include "runtime/params/roi_align.h"
#include "core/ops/movement.h"
#include "core/ops/op_list.h"
#include "runtime/params/max_roi_pool.h"

namespace dragoman {
namespace {

Status InferRoiAlign(InferContext& context) {
  const auto& params = context.params<rt::RoiAlignParams>();
  if (const std::optional<std::vector<rt::Shape>> known = RuntimeShapes(context)) {
    rt::Shape y;
    DRAGOMAN_TRY(
        context.Check(rt::RoiAlignShape(params, (*known)[0], (*known)[1], (*known)[2], &y)));
    context.SetShape(0, y);
    return {};
  }
  const Shape *x = context.shape(0), *rois = context.shape(1), *images = context.shape(2);
  if ((x != nullptr && x->size() != 4) || (rois != nullptr && rois->size() != 2) ||
      (images != nullptr && images->size() != 1)) {
    return context.Fail("the operands must have ranks 4, 2 and 1");
  }
  Dim regions;
  if (rois != nullptr) regions = rois->front();
  if (images != nullptr) {
    DRAGOMAN_ASSIGN(regions, SameSize(context, images->front(), regions));
  }
  context.SetShape(0, Shape{regions, x == nullptr ? Dim() : (*x)[1], Dim(params.output_height),
                            Dim(params.output_width)});
  return {};
}

Status InferMaxRoiPool(InferContext& context) {
  const auto& params = context.params<rt::MaxRoiPoolParams>();
  if (const std::optional<std::vector<rt::Shape>> known = RuntimeShapes(context)) {
    rt::Shape y;
    DRAGOMAN_TRY(context.Check(rt::MaxRoiPoolShape(params, (*known)[0], (*known)[1], &y)));
    context.SetShape(0, y);
    return {};
  }
  const Shape *x = context.shape(0), *rois = context.shape(1);
  if ((x != nullptr && x->size() != 4) || (rois != nullptr && rois->size() != 2))
    return context.Fail("the operands must have ranks 4 and 2");
  if (params.pooled_shape.size() != 2) return context.Fail("pooled_shape has 2 sizes");
  context.SetShape(0, Shape{rois == nullptr ? Dim() : rois->front(), x == nullptr ? Dim() : (*x)[1],
                            Dim(params.pooled_shape[0]), Dim(params.pooled_shape[1])});
  return {};
}

}  // namespace

std::vector<OpDef> RoiAlignOps() {
  return {Op("MaxRoiPool", {1, 22}, "(X: T, rois: T) -> (Y: T)", "T: float")
              .Attributes<rt::MaxRoiPoolParams>()
              .Required("pooled_shape")
              .Infer(InferMaxRoiPool)
              .Sizes({.function = "MaxRoiPoolShape",
                      .header = "runtime/params/max_roi_pool.h",
                      .arguments = "p s0 s1"})
              .Kernel({.header = "runtime/kernels/max_roi_pool.h", .types = "T", .fallible = true}),
          Op("RoiAlign", {10, 22}, "(X: T, rois: T, batch_indices: i64) -> (Y: T)", "T: float")
              .Attributes<rt::RoiAlignParams>()
              .Infer(InferRoiAlign)
              .Sizes({.function = "RoiAlignShape",
                      .header = "runtime/params/roi_align.h",
                      .arguments = "p s0 s1 s2"})
              .Kernel({.header = "runtime/kernels/roi_align.h", .types = "T", .fallible = true})};
}

}  // namespace dragoman

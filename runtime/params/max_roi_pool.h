// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of MaxRoiPool.
#ifndef DRAGOMAN_RUNTIME_PARAMS_MAX_ROI_POOL_H_
#define DRAGOMAN_RUNTIME_PARAMS_MAX_ROI_POOL_H_

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

struct MaxRoiPoolParams {
  Ints pooled_shape;           // height and width of the result
  float spatial_scale = 1.0f;  // from coordinates of a region to those of X

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("pooled_shape", self.pooled_shape);
    f("spatial_scale", self.spatial_scale);
  }
};

// X is (N, C, H, W), the regions (R, 5): the image, then x1, y1, x2, y2.
constexpr Status MaxRoiPoolShape(const MaxRoiPoolParams& p, const Shape& x, const Shape& rois,
                                 Shape* y) {
  if (x.size() != 4 || rois.size() != 2) return Status::Error("the operands have ranks 4 and 2");
  if (rois[1] != 5) return Status::Error("a region has an image and 4 numbers");
  if (p.pooled_shape.size() != 2) return Status::Error("pooled_shape has 2 sizes");
  *y = {rois[0], x[1], p.pooled_shape[0], p.pooled_shape[1]};
  return CheckSizes(*y);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_MAX_ROI_POOL_H_

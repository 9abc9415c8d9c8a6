// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of RoiAlign.
#ifndef DRAGOMAN_RUNTIME_PARAMS_ROI_ALIGN_H_
#define DRAGOMAN_RUNTIME_PARAMS_ROI_ALIGN_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

enum class RoiAlignMode { kAvg, kMax };
// kHalfPixel takes coordinates for those of pixel centers; kOutputHalfPixel is the older form, in
// which a region is at least one pixel wide and high.
enum class RoiAlignCoordinates { kHalfPixel, kOutputHalfPixel };

constexpr const char* Name(RoiAlignMode mode) {
  constexpr const char* kNames[] = {"kAvg", "kMax"};
  return kNames[static_cast<int>(mode)];
}
constexpr const char* Name(RoiAlignCoordinates coordinates) {
  constexpr const char* kNames[] = {"kHalfPixel", "kOutputHalfPixel"};
  return kNames[static_cast<int>(coordinates)];
}

struct RoiAlignParams {
  RoiAlignCoordinates coordinate_transformation_mode = RoiAlignCoordinates::kHalfPixel;
  RoiAlignMode mode = RoiAlignMode::kAvg;
  std::int64_t output_height = 1;
  std::int64_t output_width = 1;
  std::int64_t sampling_ratio = 0;  // points along each axis of a bin; 0: one a pixel
  float spatial_scale = 1.0f;       // from coordinates of a region to those of X

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("coordinate_transformation_mode", self.coordinate_transformation_mode);
    f("mode", self.mode);
    f("output_height", self.output_height);
    f("output_width", self.output_width);
    f("sampling_ratio", self.sampling_ratio);
    f("spatial_scale", self.spatial_scale);
  }
};

// X is (N, C, H, W), the regions (R, 4), their images (R).
constexpr Status RoiAlignShape(const RoiAlignParams& p, const Shape& x, const Shape& rois,
                               const Shape& batch_indices, Shape* y) {
  if (x.size() != 4 || rois.size() != 2 || batch_indices.size() != 1) {
    return Status::Error("the operands have ranks 4, 2 and 1");
  }
  if (rois[1] != 4 || rois[0] != batch_indices[0]) {
    return Status::Error("a region has 4 numbers and one image");
  }
  if (p.sampling_ratio < 0) return Status::Error("sampling_ratio is negative");
  *y = {rois[0], x[1], p.output_height, p.output_width};
  return CheckSizes(*y);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_ROI_ALIGN_H_

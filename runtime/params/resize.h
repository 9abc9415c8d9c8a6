// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes, scales and sizes of Resize.
#ifndef DRAGOMAN_RUNTIME_PARAMS_RESIZE_H_
#define DRAGOMAN_RUNTIME_PARAMS_RESIZE_H_

#include <cmath>
#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// kTfHalfPixelForNn is of opset 11; later opsets lack it.
enum class CoordinateTransformation {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kTfHalfPixelForNn,
  kTfCropAndResize,
};
enum class AspectRatioPolicy { kStretch, kNotLarger, kNotSmaller };
enum class ResizeMode { kNearest, kLinear, kCubic };
enum class NearestMode { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil };

constexpr const char* Name(CoordinateTransformation transformation) {
  constexpr const char* kNames[] = {"kHalfPixel",      "kHalfPixelSymmetric", "kPytorchHalfPixel",
                                    "kAlignCorners",   "kAsymmetric",         "kTfHalfPixelForNn",
                                    "kTfCropAndResize"};
  return kNames[static_cast<int>(transformation)];
}
constexpr const char* Name(AspectRatioPolicy policy) {
  constexpr const char* kNames[] = {"kStretch", "kNotLarger", "kNotSmaller"};
  return kNames[static_cast<int>(policy)];
}
constexpr const char* Name(ResizeMode mode) {
  constexpr const char* kNames[] = {"kNearest", "kLinear", "kCubic"};
  return kNames[static_cast<int>(mode)];
}
constexpr const char* Name(NearestMode mode) {
  constexpr const char* kNames[] = {"kRoundPreferFloor", "kRoundPreferCeil", "kFloor", "kCeil"};
  return kNames[static_cast<int>(mode)];
}

struct ResizeParams {
  bool antialias = false;
  Ints axes;
  CoordinateTransformation coordinate_transformation_mode = CoordinateTransformation::kHalfPixel;
  float cubic_coeff_a = -0.75f;
  bool exclude_outside = false;
  float extrapolation_value = 0.0f;
  AspectRatioPolicy keep_aspect_ratio_policy = AspectRatioPolicy::kStretch;
  ResizeMode mode = ResizeMode::kNearest;
  NearestMode nearest_mode = NearestMode::kRoundPreferFloor;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("antialias", self.antialias);
    f("axes", self.axes);
    f("coordinate_transformation_mode", self.coordinate_transformation_mode);
    f("cubic_coeff_a", self.cubic_coeff_a);
    f("exclude_outside", self.exclude_outside);
    f("extrapolation_value", self.extrapolation_value);
    f("keep_aspect_ratio_policy", self.keep_aspect_ratio_policy);
    f("mode", self.mode);
    f("nearest_mode", self.nearest_mode);
  }
};

// What a Resize does to each axis of the operand; axes that it does not name keep scale 1.
struct ResizeGeometry {
  Shape sizes;
  double scales[kMaxRank] = {};
};

// Exactly one of `scales` and `sizes` has entries, one for each of p.axes, or of all axes where
// there are none. With scales a size is floor(size * scale), in float as in ONNX. With sizes the
// policy may choose one scale for all axes, and sizes are then rounded, halves up.
Status ResolveResize(const ResizeParams& p, const Shape& x, FloatSpan scales, IntSpan sizes,
                     ResizeGeometry* geometry);

// roi does not matter for the sizes.
Status ResizeShape(const ResizeParams& p, const Shape& x, FloatSpan scales, IntSpan sizes,
                   Shape* y);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_RESIZE_H_

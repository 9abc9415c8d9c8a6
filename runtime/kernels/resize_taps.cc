// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/resize_taps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/kernels/interpolation.h"
#include "runtime/params/cubic_weight.h"

namespace dragoman::rt::internal {

// At scale 1 every transformation but cropping leaves the axis as it is; so kTfHalfPixelForNn moves
// no batch and no channel (as ONNX Runtime has it).
static bool LeavesAxis(const ResizeParams& p, std::int64_t input, std::int64_t output,
                       double scale) {
  return input == output && scale == 1 &&
         p.coordinate_transformation_mode != CoordinateTransformation::kTfCropAndResize;
}

ResizeTaps::ResizeTaps(const ResizeParams& p, std::int64_t input, std::int64_t output, double scale,
                       void* memory)
    : p_(&p), input_(input), output_(output), scale_(scale) {
  whole_ = LeavesAxis(p, input, output, scale);
  if (!whole_ && p.mode != ResizeMode::kNearest) {
    if (p.antialias) shrink_ = std::min(scale, 1.0);
    const double radius = p.mode == ResizeMode::kLinear ? 1 : 2;
    first_ = static_cast<std::int64_t>(std::floor(-radius / shrink_)) + 1;
    width_ = 2 - 2 * first_;
  }
  if (memory == nullptr) return;
  indices_ = static_cast<std::int64_t*>(memory);
  weights_ = reinterpret_cast<double*>(indices_ + output * width_);
}

std::int64_t ResizeTaps::TotalBytes(const ResizeParams& p, const Shape& x,
                                    const ResizeGeometry& geometry) {
  std::int64_t entries = 0;
  for (int i = 0; i < x.size(); ++i) {
    const ResizeTaps taps(p, x[i], geometry.sizes[i], geometry.scales[i], nullptr);
    entries += taps.output_ * taps.width_;
  }
  return entries * static_cast<std::int64_t>(sizeof(std::int64_t) + sizeof(double));
}

void* ResizeTaps::Fill(double roi_start, double roi_end) {
  const bool crop =
      p_->coordinate_transformation_mode == CoordinateTransformation::kTfCropAndResize;
  for (std::int64_t i = 0; i < output_; ++i) {
    std::int64_t* indices = indices_ + i * width_;
    double* weights = weights_ + i * width_;
    const double x = whole_ ? static_cast<double>(i) : Coordinate(i, roi_start, roi_end);
    FillPosition(x, indices, weights);
    if (crop && !(x >= 0 && x <= static_cast<double>(input_ - 1)))
      std::fill_n(weights, width_, std::numeric_limits<double>::quiet_NaN());
  }
  return weights_ + output_ * width_;
}

// Scales and regions are given in float: 1.5 / 0.6f is meant to be 2.5, and it is so in float.
double ResizeTaps::OverScale(double x, double offset) const {
  return static_cast<float>(offset + x / scale_);
}

double ResizeTaps::Coordinate(std::int64_t i, double roi_start, double roi_end) const {
  const double x = static_cast<double>(i), input = static_cast<double>(input_);
  const double size = static_cast<double>(output_);
  switch (p_->coordinate_transformation_mode) {
    case CoordinateTransformation::kHalfPixel:
      return OverScale(x + 0.5) - 0.5;
    case CoordinateTransformation::kHalfPixelSymmetric:
      return OverScale(x + 0.5, input / 2 * (1 - size / UnroundedSize())) - 0.5;
    case CoordinateTransformation::kPytorchHalfPixel:
      return output_ > 1 ? OverScale(x + 0.5) - 0.5 : 0;
    case CoordinateTransformation::kAlignCorners:
      return output_ > 1 ? x * (input - 1) / (size - 1) : 0;
    case CoordinateTransformation::kAsymmetric:
      return OverScale(x);
    case CoordinateTransformation::kTfHalfPixelForNn:
      return OverScale(x + 0.5);
    case CoordinateTransformation::kTfCropAndResize:
      break;
  }
  if (output_ <= 1) return 0.5 * (roi_start + roi_end) * (input - 1);
  return static_cast<float>(roi_start * (input - 1) +
                            x * (roi_end - roi_start) * (input - 1) / (size - 1));
}

// The length of the result before it is rounded to a size. A scale that was made of sizes gives the
// size again.
double ResizeTaps::UnroundedSize() const {
  const double scaled = scale_ * static_cast<double>(input_), size = static_cast<double>(output_);
  return std::fabs(scaled - size) <= 1e-12 * size ? size : scaled;
}

double ResizeTaps::Weight(double distance) const {
  distance *= shrink_;
  if (p_->mode == ResizeMode::kCubic) return CubicWeight(distance, p_->cubic_coeff_a);
  return std::max(1 - std::fabs(distance), 0.0);
}

std::int64_t ResizeTaps::Nearest(double x) const {
  switch (p_->nearest_mode) {
    case NearestMode::kRoundPreferFloor:
      return static_cast<std::int64_t>(std::ceil(x - 0.5));
    case NearestMode::kRoundPreferCeil:
      return static_cast<std::int64_t>(std::floor(x + 0.5));
    case NearestMode::kFloor:
      return static_cast<std::int64_t>(std::floor(x));
    case NearestMode::kCeil:
      break;
  }
  return static_cast<std::int64_t>(std::ceil(x));
}

void ResizeTaps::FillPosition(double x, std::int64_t* indices, double* weights) const {
  const double bounded = x >= -1e15 && x <= 1e15 ? x : 0;
  const std::int64_t last = input_ - 1;
  if (width_ == 1) {
    const std::int64_t at = whole_ ? static_cast<std::int64_t>(x) : Nearest(bounded);
    indices[0] = std::clamp<std::int64_t>(at, 0, last);
    weights[0] = 1;
    return;
  }
  const auto base = static_cast<std::int64_t>(std::floor(bounded));
  double total = 0;
  for (std::int64_t k = 0; k < width_; ++k) {
    const std::int64_t at = base + first_ + k;
    const bool outside = at < 0 || at > last;
    indices[k] = std::clamp<std::int64_t>(at, 0, last);
    weights[k] = p_->exclude_outside && outside ? 0 : Weight(static_cast<double>(at) - bounded);
    total += weights[k];
  }
  if (total == 0) return;
  for (std::int64_t k = 0; k < width_; ++k) weights[k] /= total;
}

}  // namespace dragoman::rt::internal

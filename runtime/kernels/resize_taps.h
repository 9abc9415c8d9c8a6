// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of one axis, and their weights, that meet in each position of a resized axis.
#ifndef DRAGOMAN_RUNTIME_KERNELS_RESIZE_TAPS_H_
#define DRAGOMAN_RUNTIME_KERNELS_RESIZE_TAPS_H_

#include <cmath>
#include <cstdint>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/resize.h"
#include "runtime/params/status.h"

namespace dragoman::rt::internal {

// Tables in memory of the caller: for each position `width()` indices and weights.
class ResizeTaps {
 public:
  ResizeTaps() = default;
  // An axis of `input` elements that becomes `output` long; `memory` has room for the tables, or is
  // null where only the width is asked.
  ResizeTaps(const ResizeParams& p, std::int64_t input, std::int64_t output, double scale,
             void* memory);

  // The memory for all axes.
  static std::int64_t TotalBytes(const ResizeParams& p, const Shape& x,
                                 const ResizeGeometry& geometry);

  // Computes the tables for a region of interest in normalised coordinates; returns their end.
  void* Fill(double roi_start, double roi_end);

  std::int64_t width() const { return width_; }
  const std::int64_t* index(std::int64_t i) const { return indices_ + i * width_; }
  const double* weight(std::int64_t i) const { return weights_ + i * width_; }
  // kTfCropAndResize: the position lies beyond the axis; its weights are NaN.
  bool IsOutside(std::int64_t i) const { return std::isnan(weight(i)[0]); }

 private:
  double OverScale(double x, double offset = 0) const;
  // The ends of an operand and of its result are aligned by the size of the result, as PyTorch and
  // ONNX Runtime do; ONNX's reference divides by the size before rounding.
  double Coordinate(std::int64_t i, double roi_start, double roi_end) const;
  double UnroundedSize() const;
  double Weight(double distance) const;
  std::int64_t Nearest(double x) const;
  void FillPosition(double x, std::int64_t* indices, double* weights) const;

  const ResizeParams* p_ = nullptr;
  std::int64_t input_ = 0;
  std::int64_t output_ = 0;
  double scale_ = 1;
  // Below 1 the kernel is stretched by its inverse (antialias).
  double shrink_ = 1;
  bool whole_ = false;
  std::int64_t first_ = 0;
  std::int64_t width_ = 1;
  std::int64_t* indices_ = nullptr;
  double* weights_ = nullptr;
};

// An operand as a span; absent or empty it has no entries.
template <class Span, class T>
Span Entries(TensorView<const T> view) {
  return view.present() ? Span{view.data, view.size()} : Span{};
}

// Spreads roi over all axes; those that it does not name, and all without roi, go from 0 to 1.
template <class Troi>
Status ResolveRoi(const ResizeParams& p, int rank, TensorView<const Troi> roi, double* starts,
                  double* ends) {
  for (int i = 0; i < rank; ++i) {
    starts[i] = 0;
    ends[i] = 1;
  }
  if (p.coordinate_transformation_mode != CoordinateTransformation::kTfCropAndResize) {
    return Status();
  }
  const int count = p.axes.empty() ? rank : p.axes.size();
  if (!roi.present() || roi.size() != 2 * count) {
    return Status::Error("roi does not hold two entries an axis");
  }
  for (int i = 0; i < count; ++i) {
    const int axis = p.axes.empty() ? i : WrapAxis(p.axes[i], rank);
    starts[axis] = static_cast<double>(roi[i]);
    ends[axis] = static_cast<double>(roi[count + i]);
  }
  return Status();
}

}  // namespace dragoman::rt::internal

#endif  // DRAGOMAN_RUNTIME_KERNELS_RESIZE_TAPS_H_

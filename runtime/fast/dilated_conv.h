// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions with dilations so long that many of their taps read nothing but padding: a product
// for each tap, over those results alone that it reaches.
//
// Pixels lie as rows of all channels, so that a tap is a product by a constant matrix of the rows
// that it reads, whose sums are added to the rows of their results.
#ifndef DRAGOMAN_RUNTIME_FAST_DILATED_CONV_H_
#define DRAGOMAN_RUNTIME_FAST_DILATED_CONV_H_

#include <cstdint>
#include <vector>

#include "runtime/fast/aligned_floats.h"
#include "runtime/fast/post_ops.h"
#include "runtime/params/shape.h"
#include "runtime/params/window.h"

namespace dragoman::rt {

class DilatedConv {
 public:
  // Whether it applies: one group, two spatial axes. x is (N, C, H, W), w (M, C, KH, KW).
  static bool Supports(const Window& window, std::int64_t group, const PostOps& post);

  // Weights and bias (may be null) are copied. Throws std::bad_alloc.
  DilatedConv(const Window& window, const Shape& x, const Shape& w, const float* weights,
              const float* bias, const PostOps& post);

  // Floats between two pixels of x, at least C, and of y, at least M: more, so that pixels do not
  // compete for the same places of a cache. Images and their rows follow without gaps.
  std::int64_t x_pixel() const { return x_pixel_; }
  std::int64_t y_pixel() const { return y_pixel_; }

  // x and y as the pixels say, aligned to 64; `y` is written as a whole.
  void Run(const float* x, float* y) const noexcept;

 private:
  // The results of one axis that a tap reaches.
  struct Reach {
    std::int64_t begin, end;
  };

  struct Tap {
    Reach rows, columns;
    std::int64_t row, column;  // of x, less that of the result times the stride
    std::int64_t weights;      // in panels_
  };

  struct Panel {
    std::int64_t first, width;  // outputs
  };

  static Reach ReachOf(const WindowAxis& axis, std::int64_t tap);
  void RunPanel(const Panel& panel, const float* x, float* y) const noexcept;
  void AddTap(const Tap& tap, const Panel& panel, const float* x, float* y) const noexcept;

  std::int64_t images_, channels_, outputs_;
  WindowAxis rows_, columns_;
  std::int64_t x_pixel_, y_pixel_;
  std::int64_t width_;           // of a panel; the last one may be narrower
  std::int64_t padded_outputs_;  // to whole vectors
  std::vector<Tap> taps_;
  AlignedFloats panels_;
  std::vector<float> bias_;  // of padded_outputs_
  PostOps post_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_DILATED_CONV_H_

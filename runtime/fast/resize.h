// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize in f32 by weighted sums (linear, cubic), for one shape: axis after axis, those that shrink
// first, so that an element costs the sum of the axes' taps, not their product. Weights are rounded
// to f32, which the plain kernel's are not.
#ifndef DRAGOMAN_RUNTIME_FAST_RESIZE_H_
#define DRAGOMAN_RUNTIME_FAST_RESIZE_H_

#include <cstdint>
#include <vector>

#include "runtime/fast/context.h"
#include "runtime/params/resize.h"

namespace dragoman::rt {

class PreparedResize {
 public:
  // No kNearest, no region of interest, nothing empty, below 2^31 elements.
  static bool Supports(const ResizeParams& p, const Shape& x);

  // `scales` and `sizes` as the operands of Resize; the one that is not given is null.
  Status Init(const FastContext& context, const ResizeParams& p, const Shape& x,
              const float* scales, const std::int64_t* sizes) noexcept;

  // `scratch` has ScratchBytes().
  Status Run(const float* x, float* y, void* scratch) const noexcept;
  std::int64_t ScratchBytes() const noexcept;
  const char* Implementation() const noexcept { return "own loop"; }

 private:
  // Of `outer` times `in` rows of `inner` elements those along `in`, which become `out`.
  struct Axis {
    std::int64_t outer = 1, in = 1, out = 1, inner = 1;
    std::int64_t width = 1;  // taps of a position
    // A tap's of all positions, then the next tap's.
    std::vector<std::int32_t> index;
    std::vector<float> weight;
  };

  static void FillTaps(const ResizeParams& p, double scale, Axis* axis);
  void Prepare(const ResizeParams& p, const Shape& x, const ResizeGeometry& geometry);
  static void RunAxis(const Axis& axis, const float* x, float* y) noexcept;
  void RunPlane(const float* x, float* y, float* between) const noexcept;

  std::vector<Axis> axes_;    // in the order in which they are resized
  std::int64_t planes_ = 1;   // of the axes in front that stay as they are
  std::int64_t between_ = 0;  // floats of the largest result of an axis that is not the last
  std::int64_t parts_ = 1;    // for as many threads
  std::int64_t plane_in_ = 1, plane_out_ = 1;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_RESIZE_H_

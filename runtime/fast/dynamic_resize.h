// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize, linear and cubic, in f32, for sizes known only at run time: what is prepared for sizes
// that were seen lately is kept.
#ifndef DRAGOMAN_RUNTIME_FAST_DYNAMIC_RESIZE_H_
#define DRAGOMAN_RUNTIME_FAST_DYNAMIC_RESIZE_H_

#include <utility>

#include "runtime/fast/context.h"
#include "runtime/fast/resize.h"
#include "runtime/fast/shape_cache.h"
#include "runtime/kernels/resize.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

class DynamicResize {
 public:
  static constexpr int kMostAxes = kMaxRank / 2;  // whose sizes before and after are one Shape

  Status Init(const FastContext& context, const ResizeParams& p) noexcept {
    context_ = &context;
    p_ = p;
    return Status();
  }

  // `scales`, the same in all runs, and `sizes` as the operands of Resize; the one that is not
  // given has no data. y has the sizes that follow.
  Status Run(TensorView<const float> x, TensorView<const float> scales,
             TensorView<const std::int64_t> sizes, TensorView<float> y, Memory& scratch) noexcept {
    if (y.size() == 0) return Status();
    if (!PreparedResize::Supports(p_, x.shape)) return RunKernel(x, scales, sizes, y, scratch);
    Shape key = x.shape;
    for (const std::int64_t size : y.shape) key.push_back(size);
    PreparedResize* resize = cache_.Find(key);
    if (resize == nullptr) {
      PreparedResize made;
      DRAGOMAN_RT_TRY(made.Init(*context_, p_, x.shape, scales.data, sizes.data));
      resize = cache_.Insert(key, std::move(made));
    }
    DRAGOMAN_RT_TRY(scratch.Reserve(resize->ScratchBytes()));
    return resize->Run(x.data, y.data, scratch.data());
  }

 private:
  // Images of more elements than the loops count.
  Status RunKernel(TensorView<const float> x, TensorView<const float> scales,
                   TensorView<const std::int64_t> sizes, TensorView<float> y,
                   Memory& scratch) noexcept {
    DRAGOMAN_RT_TRY(scratch.Reserve(ResizeScratchBytes<float, float>(p_, x, {}, scales, sizes, y)));
    return Resize<float, float>(p_, x, {}, scales, sizes, y, scratch.data());
  }

  const FastContext* context_ = nullptr;
  ResizeParams p_;
  ShapeCache<PreparedResize> cache_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_DYNAMIC_RESIZE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ConvTranspose in f32 as a product and sums: each element of the image times the weights of all
// taps and outputs, of which each element of the result sums the parts that reach it. Only
// runtime/fast includes this.
//
// The image passes in slabs along its first spatial axis, so that the parts, which are as many
// times larger than the image as there are taps and outputs, stay in the cache.
#ifndef DRAGOMAN_RUNTIME_FAST_TAP_PRODUCT_H_
#define DRAGOMAN_RUNTIME_FAST_TAP_PRODUCT_H_

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/fast/panel_product.h"
#include "runtime/fast/post_ops.h"
#include "runtime/params/conv_transpose.h"
#include "runtime/params/shape.h"

namespace dragoman::rt {

class TapProduct {
 public:
  // One group, 1 to 3 spatial axes, a stride: without one, a convolution does less.
  static bool Suits(const ConvTransposeParams& p, const Shape& w);

  // Copies `weights` (of sizes w) and `bias` (may be null), for images of any size. Throws
  // std::bad_alloc.
  void Pack(const Shape& w, const float* weights, const float* bias, const PostOps& post);
  // The sizes of x in the runs that follow, and the window that belongs to them. Throws
  // std::bad_alloc, where they are larger than those before.
  void Resize(const Shape& x, const Window& window);

  // Row-major x, y and, if post.residual, residual (of y's sizes; may be y itself). `scratch` has
  // ScratchBytes() and is aligned to 64.
  void Run(const float* x, const float* residual, float* y, void* scratch) const noexcept;
  std::int64_t ScratchBytes() const noexcept;

 private:
  static constexpr int kAxes = 3;  // those that are missing have one element

  // An element of the image, and the tap by which it reaches an element of the result.
  struct Reach {
    std::int64_t input, tap;
  };
  // The elements of the image along one axis that reach each element of the result.
  struct Axis {
    std::int64_t input = 1, output = 1, taps = 1;
    std::int64_t stride = 1, pad = 0, overlap = 0;  // slabs that reach further than the next one
    std::vector<Reach> reaches;
    std::vector<std::int64_t> begins;  // of each element's in `reaches`, and the end

    void Fill(const WindowAxis& window);
  };
  struct Buffers;

  Buffers Divide(void* scratch) const;
  void Multiply(const float* x, std::int64_t begin, std::int64_t end, const Buffers& buffers) const;
  void Gather(const float* residual, float* y, std::int64_t begin, std::int64_t end,
              const Buffers& buffers) const;
  void GatherTile(std::int64_t first, std::int64_t count, const Buffers& buffers,
                  float* tile) const;
  void SumReaches(std::int64_t element, const Buffers& buffers, float* sums) const;
  void StoreTile(const float* residual, float* y, std::int64_t count, float* tile) const;

  std::array<Axis, kAxes> axes_;
  std::int64_t channels_ = 0, outputs_ = 0, taps_ = 1;
  std::int64_t batch_ = 0;
  std::int64_t pixels_ = 1, image_ = 1;    // of a slab and of an image
  std::int64_t elements_ = 1, whole_ = 1;  // the same of the result
  std::int64_t slabs_ = 1, ring_ = 1;      // that are multiplied at once; whose parts are kept
  std::int64_t most_threads_ = 1;
  PanelProduct product_;
  std::vector<float> bias_;
  PostOps post_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_TAP_PRODUCT_H_

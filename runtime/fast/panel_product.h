// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by a constant matrix in f32, by loops of our own over packed weights: where a
// primitive's call costs as much as the product, or the primitive would pack in every call.
//
// Weights lie in panels: for each input the weights of as many next outputs as suit the processor
// (panel_tile.h), so that the sums of some rows stay in registers. Where there are many rows,
// blocks of inputs whose panel stays in the first cache come one after the other.
#ifndef DRAGOMAN_RUNTIME_FAST_PANEL_PRODUCT_H_
#define DRAGOMAN_RUNTIME_FAST_PANEL_PRODUCT_H_

#include <cstdint>
#include <utility>

#include "runtime/fast/aligned_floats.h"
#include "runtime/fast/context.h"
#include "runtime/fast/post_ops.h"

namespace dragoman::rt {

class PanelProduct {
 public:
  static constexpr std::int64_t kAnyRows = 0;  // as many as Run is given

  // Copies `weights`, whose element of output o and input i lies at o * out_stride + i * in_stride,
  // and `bias` (may be null), for products of `rows` rows, or kAnyRows. Throws std::bad_alloc.
  void Pack(const float* weights, std::int64_t out_stride, std::int64_t in_stride,
            const float* bias, std::int64_t outputs, std::int64_t inputs, std::int64_t rows,
            const PostOps& post = {}, const PackingOrigin& origin = {});

  // The same by panels of width() outputs, which PackPanel writes to PanelFloats() floats:
  // `weights` begins with those of output `first`.
  void Prepare(const float* bias, std::int64_t outputs, std::int64_t inputs, std::int64_t rows,
               const PostOps& post = {});
  std::int64_t PanelFloats() const { return padded_outputs_ * inputs_; }
  void PackPanel(std::int64_t first, const float* weights, std::int64_t out_stride,
                 std::int64_t in_stride, float* panels) const noexcept;
  void SetPanels(SharedFloats panels) { panels_ = std::move(panels); }
  std::int64_t width() const { return width_; }
  std::int64_t block() const { return block_; }  // of inputs whose panels lie together

  // y (rows, outputs) = x (rows, inputs) · weightsᵀ + bias, and the post-ops; `residual`, which
  // only they need, may be y. All row-major. `scratch` has ScratchBytes(); without it, if it is
  // null, large products are slower.
  void Run(const float* x, const float* residual, float* y, void* scratch) const noexcept {
    Run(rows_, x, residual, y, scratch);
  }
  // The same of so many rows, if it was packed for any number of them.
  void Run(std::int64_t rows, const float* x, const float* residual, float* y,
           void* scratch) const noexcept;
  std::int64_t ScratchBytes() const noexcept;
  // The first `rows` rows on this thread alone, without residual.
  void RunRows(std::int64_t rows, const float* x, float* y) const noexcept;

 private:
  void RunPanels(std::int64_t first, std::int64_t last, std::int64_t rows, const float* x,
                 const float* residual, float* y, float* packed) const noexcept;
  void RunPanel(std::int64_t panel, std::int64_t panels, std::int64_t begin, std::int64_t end,
                std::int64_t rows, const float* x, std::int64_t x_row, const float* residual,
                float* y) const noexcept;
  std::int64_t PanelsFrom(std::int64_t panel, std::int64_t last, std::int64_t rows) const;
  bool Packs() const;
  std::int64_t PackedSize() const;
  std::int64_t Parts(std::int64_t rows) const;

  SharedFloats panels_;
  AlignedFloats bias_;                                // of whole vectors
  std::int64_t width_ = 0;                            // of a panel; the last one may be narrower
  std::int64_t num_panels_ = 0, padded_outputs_ = 0;  // of whole vectors
  std::int64_t outputs_ = 0, inputs_ = 0, rows_ = 0;
  std::int64_t block_ = 1;       // inputs whose panels lie together
  std::int64_t tile_rows_ = 1;   // at most
  std::int64_t most_parts_ = 1;  // for as many threads
  PostOps post_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_PANEL_PRODUCT_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions with 3 × 3 weights and stride 1 by Winograd's algorithm F(4 × 4, 3 × 3): a product
// of 36 numbers in place of 144 for every 4 × 4 results. Tensors lie with as many channels side by
// side as a vector has elements. With dilations d the results of a tile are d apart, as are its
// operands.
//
// Lavin, Gray: Fast Algorithms for Convolutional Neural Networks, arXiv:1509.09308. A tile of 6 × 6
// operands d, weights g and 4 × 4 results y: y = Aᵀ ((G g Gᵀ) ⊙ (Bᵀ d B)) A. The sums over channels
// of the 36 products are 36 products of matrices.
#ifndef DRAGOMAN_RUNTIME_FAST_WINOGRAD_H_
#define DRAGOMAN_RUNTIME_FAST_WINOGRAD_H_

#include <cstdint>
#include <vector>

#include "runtime/fast/panel_product.h"
#include "runtime/fast/post_ops.h"
#include "runtime/fast/winograd_tiles.h"
#include "runtime/params/shape.h"
#include "runtime/params/window.h"

namespace dragoman::rt {

class Winograd {
 public:
  // Of channels: VectorFloats().
  static std::int64_t Block() noexcept;

  // Whether it applies, and is faster than multiplying out. x is (N, C, H, W), w (M, C, 3, 3).
  static bool Supports(const Window& window, std::int64_t group, const Shape& x, const Shape& w);

  // Weights and bias (may be null) are copied. Throws std::bad_alloc.
  Winograd(const Window& window, const Shape& x, const Shape& w, const float* weights,
           const float* bias, const PostOps& post, const PackingOrigin& origin = {});

  // `residual`, which only post-ops need, may be y. `scratch` has ScratchBytes() and is aligned
  // to 64.
  void Run(const float* x, const float* residual, float* y, void* scratch) const noexcept;
  std::int64_t ScratchBytes() const;

 private:
  struct Place {
    std::int64_t image, row, column;  // of the first result of a tile
  };

  struct Operands {
    const float* x;
    const float* residual;  // may be null
    float* y;
  };

  SharedFloats PackWeights(const float* weights) const;
  std::int64_t Parts() const;
  std::int64_t PartFloats() const;  // of scratch memory
  Place PlaceOf(std::int64_t tile) const;
  template <class Divide>
  void RunTiles(std::int64_t first, std::int64_t count, const Divide& divide,
                const Operands& operands, float* memory) const noexcept;
  void TransformTile(const float* x, std::int64_t tile, std::int64_t channel,
                     float* to) const noexcept;
  void FinishTile(const float* from, std::int64_t tile, std::int64_t channel, const float* residual,
                  float* y) const noexcept;

  std::int64_t channels_, outputs_;
  std::int64_t height_, width_, out_height_, out_width_, pad_top_, pad_left_;
  std::int64_t row_step_, column_step_;       // dilations
  std::vector<std::int64_t> rows_, columns_;  // first results of tiles
  std::int64_t tiles_;
  std::int64_t lanes_;  // channels of a block
  WinogradLoops loops_;
  std::int64_t together_;  // at most: tiles that are transformed before they are multiplied
  std::int64_t parts_;  // of the tiles, for a thread each; 1: threads share the work on each tile
  std::int64_t operands_point_, results_point_;  // floats between two of the 36 matrices
  std::vector<PanelProduct> products_;
  std::vector<float> bias_;
  PostOps post_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_WINOGRAD_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inner loop of products in f32: a few rows of operands by a panel, in which the weights of
// some outputs (the fewer rows the more) follow each other for each input, so that all sums stay in
// registers.
#ifndef DRAGOMAN_RUNTIME_FAST_PANEL_TILE_H_
#define DRAGOMAN_RUNTIME_FAST_PANEL_TILE_H_

#include <cstdint>

#include "runtime/fast/post_ops.h"

namespace dragoman::rt {

// The tiles that suit the processor.
struct TileSizes {
  std::int64_t rows;   // at most
  std::int64_t lanes;  // the outputs of a vector; panels consist of whole vectors

  // Of a panel for so many rows; it may serve fewer. The last of some panels may have fewer
  // vectors.
  static constexpr std::int64_t PanelVectors(std::int64_t panel_rows) {
    return panel_rows == 1 ? 8 : panel_rows == 2 ? 4 : 2;
  }
  std::int64_t PanelWidth(std::int64_t panel_rows) const {
    return lanes * PanelVectors(panel_rows);
  }
  // Outputs, filled up to whole vectors.
  std::int64_t RoundedUp(std::int64_t outputs) const {
    return (outputs + lanes - 1) / lanes * lanes;
  }
};

const TileSizes& BestTile() noexcept;

// y = x · panel + bias + added, for some rows by some inputs of one panel. Rows are so many floats
// apart as x_row, added_row and y_row say.
struct PanelTile {
  const float* panel;  // aligned to a vector
  std::int64_t inputs;
  const float* x;
  std::int64_t x_row;
  const float* bias;   // aligned to a vector; null: zeros
  const float* added;  // may be y; null: zeros
  std::int64_t added_row;
  float* y;
  std::int64_t y_row;
  // Floats to the next panel where the tile reads several of two vectors; 0: it reads one.
  std::int64_t panel_step = 0;
};

// `width` outputs: those of one panel, or of as many as PanelsAtOnce says.
void MultiplyTile(const PanelTile& tile, std::int64_t rows, std::int64_t width);

// The panels of two vectors that so few rows need for enough sums to keep the processor busy.
constexpr std::int64_t PanelsAtOnce(std::int64_t rows) { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }

// By way of a tile of its own, where an activation (`post`; may be null) follows or only `count`
// outputs exist. `added` (may be null) lies as y and comes after the activation.
void MultiplyAside(PanelTile tile, std::int64_t rows, std::int64_t width, std::int64_t count,
                   const PostOps* post, const float* added);

// The rows of the next of the tiles of at most `most` rows that divide `rows`: a small tile does
// not keep the processor busy.
std::int64_t TileRows(std::int64_t rows, std::int64_t most);

// Rows of `count` floats.
void CopyRows(std::int64_t rows, std::int64_t count, const float* from, std::int64_t from_row,
              float* to, std::int64_t to_row);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_PANEL_TILE_H_

// The inner loop of products in f32: a few rows of operands by a panel, in which the weights of the
// next 16 outputs (of more where there are few rows) follow each other for each input, so that all
// sums stay in registers.
#ifndef DRAGOMAN_RUNTIME_FAST_PANEL_TILE_H_
#define DRAGOMAN_RUNTIME_FAST_PANEL_TILE_H_

#include <cstdint>

#include "runtime/fast/post_ops.h"

namespace dragoman::rt {

inline constexpr std::int64_t kTileRows = 6;    // at most, of panels of 16 outputs
inline constexpr std::int64_t kTileWidth = 16;  // outputs of a panel for more than 2 rows

// y = x · panel + bias + added, for some rows by some inputs of one panel. Rows are so many floats
// apart as x_row, added_row and y_row say.
struct PanelTile {
  const float* panel;  // aligned to 32 bytes
  std::int64_t inputs;
  const float* x;
  std::int64_t x_row;
  const float* bias;   // aligned to 32 bytes; null: zeros
  const float* added;  // may be y; null: zeros
  std::int64_t added_row;
  float* y;
  std::int64_t y_row;
};

// A panel has 16 outputs; 32 for at most 2 rows, 64 for one.
void MultiplyTile(const PanelTile& tile, std::int64_t rows, std::int64_t width);

// By way of a tile of its own, where an activation (`post`; may be null) follows or only `count`
// outputs exist. `added` (may be null) lies as y and comes behind the activation.
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

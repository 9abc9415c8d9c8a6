#include "runtime/fast/panel_tile.h"

#include <algorithm>

#include "runtime/fast/activate.h"
#include "runtime/fast/clones.h"

namespace dragoman::rt {
namespace {

using Vector = float __attribute__((vector_size(32)));
using Unaligned = float __attribute__((vector_size(32), aligned(4), may_alias));

constexpr std::int64_t kLanes = sizeof(Vector) / sizeof(float);
constexpr std::int64_t kMaxWidth = 64;

#if defined(__clang__)
#define DRAGOMAN_RT_CONTRACT
#define DRAGOMAN_RT_UNROLL _Pragma("unroll")
#else
#define DRAGOMAN_RT_CONTRACT __attribute__((optimize("fp-contract=fast")))
#define DRAGOMAN_RT_UNROLL _Pragma("GCC unroll 16")
#endif

template <int kRows, int kVectors>
DRAGOMAN_RT_CLONES DRAGOMAN_RT_CONTRACT void Multiply(const PanelTile& tile) {
  Vector sums[kRows][kVectors];
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) {
    __builtin_prefetch(tile.y + r * tile.y_row, 1);
    DRAGOMAN_RT_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] = tile.bias == nullptr ? Vector{} : reinterpret_cast<const Vector*>(tile.bias)[v];
    }
  }
  const auto* weights = reinterpret_cast<const Vector*>(tile.panel);
  const std::int64_t inputs = tile.inputs, x_row = tile.x_row;
  const float* x = tile.x;
  for (std::int64_t k = 0; k < inputs; ++k) {
    DRAGOMAN_RT_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const float factor = x[r * x_row + k];
      DRAGOMAN_RT_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[r][v] += weights[k * kVectors + v] * factor;
    }
  }
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) {
    auto* to = reinterpret_cast<Unaligned*>(tile.y + r * tile.y_row);
    if (tile.added != nullptr) {
      const auto* added = reinterpret_cast<const Unaligned*>(tile.added + r * tile.added_row);
      DRAGOMAN_RT_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[r][v] += added[v];
    }
    DRAGOMAN_RT_UNROLL
    for (int v = 0; v < kVectors; ++v) to[v] = sums[r][v];
  }
}

}  // namespace

void MultiplyTile(const PanelTile& tile, std::int64_t rows, std::int64_t width) {
  if (width == 64) return Multiply<1, 8>(tile);
  if (width == 32) return rows == 1 ? Multiply<1, 4>(tile) : Multiply<2, 4>(tile);
  constexpr void (*kByRows[])(const PanelTile&) = {Multiply<1, 2>, Multiply<2, 2>, Multiply<3, 2>,
                                                   Multiply<4, 2>, Multiply<5, 2>, Multiply<6, 2>};
  kByRows[rows - 1](tile);
}

void CopyRows(std::int64_t rows, std::int64_t count, const float* from, std::int64_t from_row,
              float* to, std::int64_t to_row) {
  for (std::int64_t r = 0; r < rows && count == 2 * kLanes; ++r) {
    const auto* row = reinterpret_cast<const Unaligned*>(from + r * from_row);
    auto* copy = reinterpret_cast<Unaligned*>(to + r * to_row);
    for (int v = 0; v < 2; ++v) copy[v] = row[v];
  }
  if (count == 2 * kLanes) return;
  for (std::int64_t r = 0; r < rows; ++r) std::copy_n(from + r * from_row, count, to + r * to_row);
}

std::int64_t TileRows(std::int64_t rows, std::int64_t most) {
  if (rows <= most || rows >= 2 * most) return std::min(rows, most);
  return (rows + 1) / 2;
}

void MultiplyAside(PanelTile tile, std::int64_t rows, std::int64_t width, std::int64_t count,
                   const PostOps* post, const float* added) {
  alignas(32) float memory[kTileRows * kMaxWidth];
  const PanelTile whole = tile;
  for (std::int64_t r = 0; r < rows; ++r) __builtin_prefetch(whole.y + r * whole.y_row, 1);
  if (tile.added != nullptr && count < width) {
    std::fill_n(memory, rows * width, 0.0f);
    CopyRows(rows, count, tile.added, tile.added_row, memory, width);
    tile.added = memory;
    tile.added_row = width;
  }
  tile.y = memory;
  tile.y_row = width;
  MultiplyTile(tile, rows, width);
  if (post != nullptr) Activate(*post, 1, rows * width, 0, nullptr, memory);
  if (added == nullptr) return CopyRows(rows, count, memory, width, whole.y, whole.y_row);
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t at = r * whole.y_row;
    for (std::int64_t i = 0; i < count; ++i)
      whole.y[at + i] = memory[r * width + i] + added[at + i];
  }
}

}  // namespace dragoman::rt

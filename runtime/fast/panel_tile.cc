// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/panel_tile.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/fast/activate.h"
#include "runtime/fast/clones.h"
#include "runtime/fast/used.h"
#include "runtime/fast/vector_floats.h"

namespace dragoman::rt {
namespace {

constexpr int kMaxRows = 8, kMaxVectors = 8;
constexpr int kMaxFloats = 8 * 2 * Floats16::kCount;  // of a tile of results
constexpr int kCopiedFloats = 16;                     // of rows for which a call would cost more

// Of kVectors vectors, as many from each of kPanels panels.
template <class Floats, int kRows, int kVectors, int kPanels = 1>
DRAGOMAN_RT_INLINE void MultiplyPanel(const PanelTile& tile) {
  using Vector = typename Floats::Vector;
  using Unaligned = typename Floats::Unaligned;
  constexpr int kEach = kVectors / kPanels;
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
  const std::int64_t step = kPanels == 1 ? 0 : tile.panel_step / Floats::kCount;
  const float* x = tile.x;
  for (std::int64_t k = 0; k < inputs; ++k) {
    DRAGOMAN_RT_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const float factor = x[r * x_row + k];
      DRAGOMAN_RT_UNROLL
      for (int v = 0; v < kVectors; ++v)
        sums[r][v] += weights[v / kEach * step + k * kEach + v % kEach] * factor;
    }
  }
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) {
    auto* to = reinterpret_cast<Unaligned*>(tile.y + r * tile.y_row);
    if (tile.added != nullptr) {
      const auto* added = reinterpret_cast<const Unaligned*>(tile.added + r * tile.added_row);
      DRAGOMAN_RT_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[r][v] += added[v].vector;
    }
    DRAGOMAN_RT_UNROLL
    for (int v = 0; v < kVectors; ++v) to[v].vector = sums[r][v];
  }
}

// Each instruction set has loops for as many rows by vectors as its registers hold sums.

struct Portable {
#ifdef DRAGOMAN_RT_X86
  static constexpr std::int64_t kMostRows = 2;  // a vector is two registers of sixteen
#else
  static constexpr std::int64_t kMostRows = 6;
#endif
  static constexpr TileSizes kSizes = {kMostRows, Floats8::kCount};
  template <int kRows, int kVectors, int kPanels = 1>
  static void Run(const PanelTile& tile) {
    MultiplyPanel<Floats8, kRows, kVectors, kPanels>(tile);
  }
};

#ifdef DRAGOMAN_RT_X86

struct Avx2 {
  static constexpr TileSizes kSizes = {6, Floats8::kCount};
  template <int kRows, int kVectors, int kPanels = 1>
  DRAGOMAN_RT_AVX2 static void Run(const PanelTile& tile) {
    MultiplyPanel<Floats8, kRows, kVectors, kPanels>(tile);
  }
};

struct Avx512 {
  static constexpr TileSizes kSizes = {8, Floats16::kCount};
  template <int kRows, int kVectors, int kPanels = 1>
  DRAGOMAN_RT_AVX512 static void Run(const PanelTile& tile) {
    MultiplyPanel<Floats16, kRows, kVectors, kPanels>(tile);
  }
};

#endif

using PanelLoop = void (*)(const PanelTile&);

// Of tiles of so many rows and vectors; null where no panel is as wide.
template <class Set, int kRows, int kVectors>
constexpr PanelLoop LoopOf() {
  if constexpr (kRows <= Set::kSizes.rows && kRows <= kUsedTileRows &&
                kVectors <= Set::kSizes.PanelVectors(kRows)) {
    return Set::template Run<kRows, kVectors>;
  } else {
    return nullptr;
  }
}

template <class Set, int... kPlaces>
constexpr std::array<PanelLoop, sizeof...(kPlaces)> LoopsOf(
    std::integer_sequence<int, kPlaces...>) {
  return {LoopOf<Set, kPlaces / kMaxVectors + 1, kPlaces % kMaxVectors + 1>()...};
}

// Of a row or two by several panels, which products of any number of rows have.
template <class Set, int kRows>
constexpr PanelLoop SeveralOf() {
  constexpr int kPanels = PanelsAtOnce(kRows);
  if constexpr (kUsedTileRows > kRows) {
    return Set::template Run<kRows, 2 * kPanels, kPanels>;
  } else {
    return nullptr;
  }
}

struct TileLoops {
  TileSizes sizes;
  std::array<PanelLoop, kMaxRows * kMaxVectors> loops;  // [rows - 1][vectors - 1]
  PanelLoop several[2];                                 // [rows - 1], PanelsAtOnce
};

template <class Set>
constexpr TileLoops kTileLoops = {
    Set::kSizes,
    LoopsOf<Set>(std::make_integer_sequence<int, kMaxRows * kMaxVectors>()),
    {SeveralOf<Set, 1>(), SeveralOf<Set, 2>()}};

const TileLoops& ChooseLoops() {
#ifdef DRAGOMAN_RT_X86
  if (VectorFloats() == Avx512::kSizes.lanes) return kTileLoops<Avx512>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kTileLoops<Avx2>;
#endif
  return kTileLoops<Portable>;
}

const TileLoops& BestLoops() {
  static const TileLoops& loops = ChooseLoops();
  return loops;
}

}  // namespace

const TileSizes& BestTile() noexcept { return BestLoops().sizes; }

void MultiplyTile(const PanelTile& tile, std::int64_t rows, std::int64_t width) {
  const TileLoops& best = BestLoops();
  if (tile.panel_step != 0) return best.several[rows - 1](tile);
  const std::int64_t vectors = width / best.sizes.lanes;
  best.loops[static_cast<std::size_t>((rows - 1) * kMaxVectors + vectors - 1)](tile);
}

void CopyRows(std::int64_t rows, std::int64_t count, const float* from, std::int64_t from_row,
              float* to, std::int64_t to_row) {
  for (std::int64_t r = 0; r < rows && count == kCopiedFloats; ++r) {
    const auto* row = reinterpret_cast<const Floats8::Unaligned*>(from + r * from_row);
    auto* copy = reinterpret_cast<Floats8::Unaligned*>(to + r * to_row);
    for (int v = 0; v < kCopiedFloats / Floats8::kCount; ++v) copy[v] = row[v];
  }
  if (count == kCopiedFloats) return;
  for (std::int64_t r = 0; r < rows; ++r) std::copy_n(from + r * from_row, count, to + r * to_row);
}

std::int64_t TileRows(std::int64_t rows, std::int64_t most) {
  if (rows <= most || rows >= 2 * most) return std::min(rows, most);
  return (rows + 1) / 2;
}

void MultiplyAside(PanelTile tile, std::int64_t rows, std::int64_t width, std::int64_t count,
                   const PostOps* post, const float* added) {
  alignas(64) float memory[kMaxFloats];
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

#include "runtime/fast/panel_product.h"

#include <algorithm>

#include "runtime/fast/activate.h"
#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

using Vector = float __attribute__((vector_size(32)));
using Unaligned = float __attribute__((vector_size(32), aligned(4), may_alias));

constexpr std::int64_t kLanes = sizeof(Vector) / sizeof(float);
constexpr std::int64_t kMaxRows = 6;
constexpr std::int64_t kMaxWidth = 64;
constexpr std::int64_t kBlock = 256;             // inputs whose panel stays in the first cache
constexpr std::int64_t kPartProducts = 1 << 16;  // below which a thread is not worth its start

// Some rows by some inputs of one panel.
struct Tile {
  const float* panel;  // for the inputs of this tile
  const float* next;   // what will be read next; it need not exist
  std::int64_t inputs;
  const float* x;
  std::int64_t x_row;
  const float* bias;   // aligned; null: zeros
  const float* added;  // null: zeros
  std::int64_t added_row;
  float* y;
  std::int64_t y_row;
};

#if defined(__clang__)
#define DRAGOMAN_RT_CONTRACT
#else
#define DRAGOMAN_RT_CONTRACT __attribute__((optimize("fp-contract=fast")))
#endif

template <int kRows, int kVectors>
DRAGOMAN_RT_CLONES DRAGOMAN_RT_CONTRACT void Multiply(const Tile& tile) {
  Vector sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] = tile.bias == nullptr ? Vector{} : reinterpret_cast<const Vector*>(tile.bias)[v];
    }
  }
  for (int r = 0; r < kRows && tile.added != nullptr; ++r) {
    const auto* added = reinterpret_cast<const Unaligned*>(tile.added + r * tile.added_row);
    for (int v = 0; v < kVectors; ++v) sums[r][v] += added[v];
  }
  const auto* weights = reinterpret_cast<const Vector*>(tile.panel);
  const std::int64_t inputs = tile.inputs, x_row = tile.x_row;
  const float* x = tile.x;
  const float* next = tile.next;
  for (std::int64_t k = 0; k < inputs; ++k) {
    if (kRows > 1) __builtin_prefetch(next + k * kVectors * kLanes, 0, 2);
    for (int r = 0; r < kRows; ++r) {
      const float factor = x[r * x_row + k];
      for (int v = 0; v < kVectors; ++v) sums[r][v] += weights[k * kVectors + v] * factor;
    }
  }
  for (int r = 0; r < kRows; ++r) {
    auto* to = reinterpret_cast<Unaligned*>(tile.y + r * tile.y_row);
    for (int v = 0; v < kVectors; ++v) to[v] = sums[r][v];
  }
}

void MultiplyTile(const Tile& tile, std::int64_t rows, std::int64_t width) {
  if (width == 64) return Multiply<1, 8>(tile);
  if (width == 32) return rows == 1 ? Multiply<1, 4>(tile) : Multiply<2, 4>(tile);
  constexpr void (*kByRows[])(const Tile&) = {Multiply<1, 2>, Multiply<2, 2>, Multiply<3, 2>,
                                              Multiply<4, 2>, Multiply<5, 2>, Multiply<6, 2>};
  kByRows[rows - 1](tile);
}

void CopyRows(std::int64_t rows, std::int64_t count, const float* from, std::int64_t from_row,
              float* to, std::int64_t to_row) {
  for (std::int64_t r = 0; r < rows; ++r) std::copy_n(from + r * from_row, count, to + r * to_row);
}

// A panel of which only `count` outputs exist, by way of a tile of its own.
void MultiplyPartly(Tile tile, std::int64_t rows, std::int64_t width, std::int64_t count) {
  alignas(32) float memory[kMaxRows * kMaxWidth] = {};
  if (tile.added != nullptr) CopyRows(rows, count, tile.added, tile.added_row, memory, width);
  const Tile whole = tile;
  if (tile.added != nullptr) tile.added = memory;
  tile.added_row = width;
  tile.y = memory;
  tile.y_row = width;
  MultiplyTile(tile, rows, width);
  CopyRows(rows, count, memory, width, whole.y, whole.y_row);
}

}  // namespace

PanelProduct::Floats PanelProduct::Zeros(std::int64_t count) {
  Floats floats(static_cast<float*>(
      ::operator new(static_cast<std::size_t>(count) * sizeof(float), std::align_val_t(64))));
  std::fill_n(floats.get(), count, 0.0f);
  return floats;
}

void PanelProduct::Pack(const float* weights, std::int64_t out_stride, std::int64_t in_stride,
                        const float* bias, std::int64_t outputs, std::int64_t inputs,
                        std::int64_t rows, const PostOps& post) {
  width_ = rows == 1 ? 64 : rows == 2 ? 32 : 16;
  num_panels_ = (outputs + width_ - 1) / width_;
  outputs_ = outputs;
  inputs_ = inputs;
  rows_ = rows;
  post_ = post;
  panels_ = Zeros(num_panels_ * width_ * inputs);
  bias_ = Zeros(num_panels_ * width_);
  if (bias != nullptr) std::copy_n(bias, outputs, bias_.get());
  for (std::int64_t panel = 0; panel < num_panels_; ++panel) {
    const std::int64_t first = panel * width_, count = std::min(width_, outputs - first);
    float* to = panels_.get() + first * inputs;
    for (std::int64_t k = 0; k < inputs; ++k, to += width_) {
      const float* from = weights + first * out_stride + k * in_stride;
      for (std::int64_t o = 0; o < count; ++o) to[o] = from[o * out_stride];
    }
  }
}

// Inputs `begin` … `end`.
void PanelProduct::RunPanel(std::int64_t panel, std::int64_t begin, std::int64_t end,
                            std::int64_t num_rows, const float* x, const float* residual,
                            float* y) const noexcept {
  const std::int64_t first = panel * width_, count = std::min(width_, outputs_ - first);
  const bool starts = begin == 0, ends = end == inputs_;
  const bool adds_first = residual != nullptr && !post_.activation_first;
  const std::int64_t group = width_ == 16 ? kMaxRows : rows_;
  Tile tile = {};
  tile.panel = panels_.get() + first * inputs_ + begin * width_;
  tile.inputs = end - begin;
  tile.x_row = inputs_;
  tile.bias = starts ? bias_.get() + first : nullptr;
  tile.added_row = tile.y_row = outputs_;
  for (std::int64_t r = 0; r < num_rows; r += group) {
    const std::int64_t rows = std::min(group, num_rows - r);
    const std::int64_t at = r * outputs_ + first;
    tile.next = r + rows < num_rows ? tile.panel : tile.panel + inputs_ * width_;
    tile.x = x + r * inputs_ + begin;
    tile.added = !starts ? y + at : adds_first ? residual + at : nullptr;
    tile.y = y + at;
    if (count == width_) {
      MultiplyTile(tile, rows, width_);
    } else {
      MultiplyPartly(tile, rows, width_, count);
    }
    if (ends) {
      const float* added = residual != nullptr && !adds_first ? residual + at : nullptr;
      Activate(post_, rows, count, outputs_, added, tile.y);
    }
  }
}

void PanelProduct::RunPanels(std::int64_t first, std::int64_t last, std::int64_t rows,
                             const float* x, const float* residual, float* y) const noexcept {
  // A residual that may lie in y is needed until the end.
  const bool whole = rows <= kMaxRows || (residual != nullptr && post_.activation_first);
  const std::int64_t block = whole ? inputs_ : kBlock;
  for (std::int64_t k = 0; k < inputs_; k += block) {
    for (std::int64_t panel = first; panel < last; ++panel)
      RunPanel(panel, k, std::min(k + block, inputs_), rows, x, residual, y);
  }
}

void PanelProduct::RunRows(std::int64_t rows, const float* x, float* y) const noexcept {
  RunPanels(0, num_panels_, rows, x, nullptr, y);
}

void PanelProduct::Run(const float* x, const float* residual, float* y) const noexcept {
  if (!post_.residual) residual = nullptr;
  const std::int64_t products = width_ * inputs_ * rows_;
  const std::int64_t grain = std::max<std::int64_t>(kPartProducts / products, 1);
  Parallel(num_panels_, grain, [=](std::int64_t begin, std::int64_t end) {
    RunPanels(begin, end, rows_, x, residual, y);
  });
}

}  // namespace dragoman::rt

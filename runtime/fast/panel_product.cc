// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/panel_product.h"

#include <algorithm>

#include "runtime/fast/panel_tile.h"
#include "runtime/fast/parallel.h"
#include "runtime/fast/threads.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kInputBlock = 256;             // inputs whose panel stays in the first cache
constexpr std::int64_t kBlockRow = kInputBlock + 16;  // floats between rows of packed operands
constexpr std::int64_t kRowBlock = 192;               // whose block of operands stays in the second
constexpr std::int64_t kFewPanels = 8;                // too few for a copy of the operands to pay
constexpr std::int64_t kLine = 64;                    // bytes of a line of a cache
constexpr std::int64_t kFetchingRows = 32;  // below, the processor fetches panels early enough
constexpr std::int64_t kPanelProducts = 1 << 16;  // below which a thread is not worth its start

AlignedFloats Zeros(std::int64_t count) {
  AlignedFloats floats = NewAlignedFloats(count);
  std::fill_n(floats.get(), count, 0.0f);
  return floats;
}

}  // namespace

void PanelProduct::Pack(const float* weights, std::int64_t out_stride, std::int64_t in_stride,
                        const float* bias, std::int64_t outputs, std::int64_t inputs,
                        std::int64_t rows, const PostOps& post, const PackingOrigin& origin) {
  Prepare(bias, outputs, inputs, rows, post);
  const auto pack = [&]() -> SharedFloats {
    AlignedFloats panels = NewAlignedFloats(PanelFloats());
    for (std::int64_t first = 0; first < outputs; first += width_)
      PackPanel(first, weights + first * out_stride, out_stride, in_stride, panels.get());
    return panels;
  };
  panels_ = origin.Packed(PackedForm::kPanels,
                          {out_stride, in_stride, outputs, inputs, width_, block_}, pack);
}

void PanelProduct::Prepare(const float* bias, std::int64_t outputs, std::int64_t inputs,
                           std::int64_t rows, const PostOps& post) {
  const TileSizes& best = BestTile();
  width_ = best.PanelWidth(rows);
  tile_rows_ = rows == 1 || rows == 2 ? rows : best.rows;
  num_panels_ = (outputs + width_ - 1) / width_;
  padded_outputs_ = best.RoundedUp(outputs);
  outputs_ = outputs;
  inputs_ = inputs;
  rows_ = rows;
  post_ = post;
  // A residual that may lie in y is needed until the end.
  const bool few = rows != kAnyRows && rows <= best.rows;
  const bool whole = few || (post.residual && post.activation_first);
  block_ = whole ? inputs : std::min(inputs, kInputBlock);
  bias_ = Zeros(padded_outputs_);
  if (bias != nullptr) std::copy_n(bias, outputs, bias_.get());
  most_parts_ = std::clamp<std::int64_t>(MaxThreads(), 1, std::max<std::int64_t>(num_panels_, 1));
}

std::int64_t PanelProduct::Parts(std::int64_t rows) const {
  const std::int64_t products = padded_outputs_ * inputs_ * rows;
  return std::clamp<std::int64_t>(products / kPanelProducts, 1, most_parts_);
}

void PanelProduct::PackPanel(std::int64_t first, const float* weights, std::int64_t out_stride,
                             std::int64_t in_stride, float* panels) const noexcept {
  const std::int64_t count = std::min(width_, outputs_ - first);
  const std::int64_t width = std::min(width_, padded_outputs_ - first);
  for (std::int64_t begin = 0; begin < inputs_; begin += block_) {
    const std::int64_t end = std::min(begin + block_, inputs_);
    float* to = panels + begin * padded_outputs_ + first * (end - begin);
    for (std::int64_t k = begin; k < end; ++k, to += width) {
      const float* from = weights + k * in_stride;
      for (std::int64_t o = 0; o < count; ++o) to[o] = from[o * out_stride];
      std::fill(to + count, to + width, 0.0f);
    }
  }
}

std::int64_t PanelProduct::ScratchBytes() const noexcept {
  const std::int64_t parts = rows_ == kAnyRows ? most_parts_ : Parts(rows_);
  return Packs() ? parts * PackedSize() * std::int64_t{sizeof(float)} : 0;
}

// Of `panels` panels, whole ones if there are several, inputs `begin` … `end`, of which row r lies
// at x + r * x_row.
void PanelProduct::RunPanel(std::int64_t panel, std::int64_t panels, std::int64_t begin,
                            std::int64_t end, std::int64_t num_rows, const float* x,
                            std::int64_t x_row, const float* residual, float* y) const noexcept {
  const std::int64_t first = panel * width_, count = std::min(panels * width_, outputs_ - first);
  const std::int64_t width = std::min(panels * width_, padded_outputs_ - first);
  const bool starts = begin == 0, ends = end == inputs_;
  const bool adds_first = residual != nullptr && !post_.activation_first;
  const bool adds_last = residual != nullptr && !adds_first && ends;
  const bool activates = ends && post_.activation != FusedActivation::kNone;
  PanelTile tile = {};
  tile.inputs = end - begin;
  tile.panel = panels_.get() + begin * padded_outputs_ + first * tile.inputs;
  tile.panel_step = panels > 1 ? tile.inputs * width_ : 0;
  tile.x_row = x_row;
  tile.bias = starts ? bias_.get() + first : nullptr;
  tile.added_row = tile.y_row = outputs_;
  const char* next = reinterpret_cast<const char*>(tile.panel + tile.inputs * width);
  const std::int64_t ahead =
      tile.inputs * width * static_cast<std::int64_t>(sizeof(float)) / num_rows;
  const bool fetches = num_rows >= kFetchingRows;
  for (std::int64_t r = 0; r < num_rows;) {
    const std::int64_t rows = TileRows(num_rows - r, tile_rows_);
    const std::int64_t at = r * outputs_ + first;
    for (std::int64_t i = r * ahead; i < (r + rows) * ahead && fetches; i += kLine)
      __builtin_prefetch(next + i, 0, 2);
    tile.x = x + r * x_row;
    tile.added = !starts ? y + at : adds_first ? residual + at : nullptr;
    tile.y = y + at;
    if (count == width && !activates && !adds_last) {
      MultiplyTile(tile, rows, width);
    } else {
      MultiplyAside(tile, rows, width, count, activates ? &post_ : nullptr,
                    adds_last ? residual + at : nullptr);
    }
    r += rows;
  }
}

// How many panels from `panel` on are computed at once.
std::int64_t PanelProduct::PanelsFrom(std::int64_t panel, std::int64_t last,
                                      std::int64_t rows) const {
  const std::int64_t panels = rows_ == kAnyRows ? PanelsAtOnce(rows) : 1;
  return panel + panels <= last && (panel + panels) * width_ <= outputs_ ? panels : 1;
}

void PanelProduct::RunPanels(std::int64_t first, std::int64_t last, std::int64_t rows,
                             const float* x, const float* residual, float* y,
                             float* packed) const noexcept {
  for (std::int64_t begin = 0; begin < inputs_; begin += block_) {
    const std::int64_t end = std::min(begin + block_, inputs_);
    const float* from = x + begin;
    if (packed != nullptr) CopyRows(rows, end - begin, from, inputs_, packed, kBlockRow);
    for (std::int64_t panel = first; panel < last;) {
      const std::int64_t panels = PanelsFrom(panel, last, rows);
      RunPanel(panel, panels, begin, end, rows, packed != nullptr ? packed : from,
               packed != nullptr ? kBlockRow : inputs_, residual, y);
      panel += panels;
    }
  }
}

void PanelProduct::RunRows(std::int64_t rows, const float* x, float* y) const noexcept {
  if (rows > 0) RunPanels(0, num_panels_, rows, x, nullptr, y, nullptr);
}

void PanelProduct::Run(std::int64_t num_rows, const float* x, const float* residual, float* y,
                       void* scratch) const noexcept {
  if (!post_.residual) residual = nullptr;
  float* packed = Packs() && num_rows > tile_rows_ ? static_cast<float*>(scratch) : nullptr;
  const std::int64_t parts = Parts(num_rows);
  Parallel(parts, 1, [&](std::int64_t begin, std::int64_t end) {
    float* own = packed == nullptr ? nullptr : packed + begin * PackedSize();
    for (std::int64_t row = 0; row < num_rows;) {
      const std::int64_t rows = TileRows(num_rows - row, kRowBlock);
      RunPanels(num_panels_ * begin / parts, num_panels_ * end / parts, rows, x + row * inputs_,
                residual == nullptr ? nullptr : residual + row * outputs_, y + row * outputs_, own);
      row += rows;
    }
  });
}

// Of operands, a block of whose inputs is copied to lie close together.
bool PanelProduct::Packs() const { return block_ < inputs_ && num_panels_ > kFewPanels; }
std::int64_t PanelProduct::PackedSize() const {
  return (rows_ == kAnyRows ? kRowBlock : std::min(rows_, kRowBlock)) * kBlockRow;
}

}  // namespace dragoman::rt

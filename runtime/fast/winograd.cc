// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/winograd.h"

#include <algorithm>

#include "runtime/fast/activate.h"
#include "runtime/fast/panel_tile.h"
#include "runtime/fast/parallel.h"
#include "runtime/fast/threads.h"
#include "runtime/fast/vector_floats.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kCacheFloats = 96 * 1024;  // of transformed operands and results together
constexpr std::int64_t kMinChannels = 16, kMinTiles = 9, kSmallWeights = 1 << 18;
// Dilations leave the other method (dilated_conv.h) fewer taps to compute.
constexpr std::int64_t kManyTiles = 32, kLargeWeights = 1 << 22;
constexpr std::int64_t kPartTiles = 6;            // below which a thread is not worth its start
constexpr std::int64_t kSharedWeights = 1 << 20;  // of which every thread may as well read all
constexpr std::int64_t kRowGap = 16;  // floats between rows that compete for places of a cache

// Floats between the places of two points: an odd multiple of 16, so that the 36 places of a vector
// do not compete for the same places of a cache.
std::int64_t PointStride(std::int64_t floats) { return ((floats + 15) / 32 * 2 + 1) * 16; }

std::int64_t TilesIn(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Which of `count` places along an axis, from `first` on and `step` apart, are in [0, size).
struct Reach {
  std::int64_t begin, end;
};

Reach ReachOf(std::int64_t first, std::int64_t step, std::int64_t size, std::int64_t count) {
  const std::int64_t begin = first < 0 ? std::min(count, TilesIn(-first, step)) : 0;
  return {begin, std::clamp(TilesIn(size - first, step), begin, count)};
}

// The tiles of `out` results that divide one axis.
std::vector<std::int64_t> FirstResults(const WindowAxis& axis, std::int64_t out) {
  std::vector<std::int64_t> first;
  const std::int64_t phases = std::min(axis.dilation, axis.output);
  for (std::int64_t phase = 0; phase < phases; ++phase) {
    for (std::int64_t i = phase; i < axis.output; i += out * axis.dilation) first.push_back(i);
  }
  return first;
}

}  // namespace

bool Winograd::Supports(const Window& window, std::int64_t group, const Shape& x, const Shape& w) {
  if (window.rank != 2 || group != 1 || x[1] % Block() != 0 || w[0] % Block() != 0) return false;
  std::int64_t tiles = x[0];
  for (int i = 0; i < 2; ++i) {
    const WindowAxis& axis = window.axes[i];
    if (axis.kernel != 3 || axis.stride != 1 || axis.output < kWinogradResults * axis.dilation)
      return false;
    tiles *= static_cast<std::int64_t>(FirstResults(axis, kWinogradResults).size());
  }
  // With few tiles most of the time goes into reading weights, of which there are four times more.
  const std::int64_t weights = kWinogradPoints * x[1] * w[0];
  const bool dilated = window.axes[0].dilation > 1 || window.axes[1].dilation > 1;
  const std::int64_t enough = dilated && weights > kLargeWeights ? kManyTiles : kMinTiles;
  return x[1] >= kMinChannels && w[0] >= kMinChannels &&
         (tiles >= enough || weights <= kSmallWeights);
}

Winograd::Winograd(const Window& window, const Shape& x, const Shape& w, const float* weights,
                   const float* bias, const PostOps& post, const PackingOrigin& origin)
    : channels_(x[1]),
      outputs_(w[0]),
      height_(x[2]),
      width_(x[3]),
      out_height_(window.axes[0].output),
      out_width_(window.axes[1].output),
      pad_top_(window.axes[0].pad_begin),
      pad_left_(window.axes[1].pad_begin),
      row_step_(window.axes[0].dilation),
      column_step_(window.axes[1].dilation),
      rows_(FirstResults(window.axes[0], kWinogradResults)),
      columns_(FirstResults(window.axes[1], kWinogradResults)),
      tiles_(x[0] * static_cast<std::int64_t>(rows_.size() * columns_.size())),
      lanes_(Block()),
      loops_(BestWinogradLoops()),
      products_(kWinogradPoints),
      bias_(static_cast<std::size_t>(outputs_), 0.0f),
      post_(post) {
  const std::int64_t fitting = kCacheFloats / (kWinogradPoints * (channels_ + outputs_));
  const std::int64_t tile_rows = BestTile().rows;
  together_ = std::min(tiles_, std::max<std::int64_t>(fitting / tile_rows, 2) * tile_rows);
  operands_point_ = PointStride(together_ * channels_);
  results_point_ = PointStride(together_ * outputs_);
  parts_ = Parts();
  if (bias != nullptr) std::copy_n(bias, outputs_, bias_.begin());
  for (PanelProduct& product : products_) product.Prepare(nullptr, outputs_, channels_, together_);
  const SharedFloats panels =
      origin.Packed(PackedForm::kWinograd,
                    {outputs_, channels_, products_.front().width(), products_.front().block()},
                    [&] { return PackWeights(weights); });
  for (std::int64_t p = 0; p < kWinogradPoints; ++p) {
    PanelProduct& product = products_[static_cast<std::size_t>(p)];
    product.SetPanels({panels, panels.get() + p * product.PanelFloats()});
  }
}

// A panel of outputs after the other: all weights at once would take four times their memory.
SharedFloats Winograd::PackWeights(const float* weights) const {
  const std::int64_t width = products_.front().width();
  const std::int64_t floats = products_.front().PanelFloats();
  AlignedFloats panels = NewAlignedFloats(kWinogradPoints * floats);
  const std::int64_t row = channels_ + kRowGap, point = PointStride(width * row);
  std::vector<float> transformed(static_cast<std::size_t>(point * kWinogradPoints));
  for (std::int64_t first = 0; first < outputs_; first += width) {
    for (std::int64_t o = first; o < std::min(first + width, outputs_); ++o) {
      for (std::int64_t c = 0; c < channels_; c += kWinogradPairs) {
        TransformWinogradWeights(weights + (o * channels_ + c) * 9,
                                 std::min(kWinogradPairs, channels_ - c), point,
                                 transformed.data() + (o - first) * row + c);
      }
    }
    for (std::int64_t p = 0; p < kWinogradPoints; ++p) {
      products_.front().PackPanel(first, transformed.data() + p * point, row, 1,
                                  panels.get() + p * floats);
    }
  }
  return panels;
}

std::int64_t Winograd::Block() noexcept { return VectorFloats(); }

// Threads that have enough tiles never wait for each other. Else they would read all weights for a
// few tiles each.
std::int64_t Winograd::Parts() const {
  const std::int64_t threads = MaxThreads(), weights = kWinogradPoints * channels_ * outputs_;
  const bool many = TilesIn(tiles_, together_) >= threads;
  const bool some = tiles_ >= threads * BestTile().rows && weights <= kSharedWeights;
  return many || some ? threads : 1;
}

std::int64_t Winograd::PartFloats() const {
  return kWinogradPoints * (operands_point_ + results_point_);
}

std::int64_t Winograd::ScratchBytes() const {
  return parts_ * PartFloats() * static_cast<std::int64_t>(sizeof(float));
}

Winograd::Place Winograd::PlaceOf(std::int64_t tile) const {
  const auto across = static_cast<std::int64_t>(columns_.size());
  const std::int64_t per_image = static_cast<std::int64_t>(rows_.size()) * across;
  const std::int64_t rest = tile % per_image;
  return {tile / per_image, rows_[static_cast<std::size_t>(rest / across)],
          columns_[static_cast<std::size_t>(rest % across)]};
}

// A block of channels of one tile.
void Winograd::TransformTile(const float* x, std::int64_t tile, std::int64_t channel,
                             float* to) const noexcept {
  const Place place = PlaceOf(tile);
  const std::int64_t top = place.row - pad_top_, left = place.column - pad_left_;
  const Reach rows = ReachOf(top, row_step_, height_, kWinogradTile);
  const Reach columns = ReachOf(left, column_step_, width_, kWinogradTile);
  const WinogradPatch patch = {row_step_ * width_ * lanes_,
                               column_step_ * lanes_,
                               rows.begin,
                               rows.end,
                               columns.begin,
                               columns.end};
  const float* plane = x + (place.image * channels_ + channel) * height_ * width_;
  loops_.transform(plane + (top * width_ + left) * lanes_, patch, to, operands_point_);
}

void Winograd::FinishTile(const float* from, std::int64_t tile, std::int64_t channel,
                          const float* residual, float* y) const noexcept {
  const Place place = PlaceOf(tile);
  const WinogradPatch area = {
      row_step_ * out_width_ * lanes_,
      column_step_ * lanes_,
      0,
      ReachOf(place.row, row_step_, out_height_, kWinogradResults).end,
      0,
      ReachOf(place.column, column_step_, out_width_, kWinogradResults).end};
  const std::int64_t at = (place.image * outputs_ + channel) * out_height_ * out_width_ +
                          (place.row * out_width_ + place.column) * lanes_;
  alignas(64) float results[kWinogradResults * kWinogradResults * Floats16::kCount];
  loops_.finish(from, results_point_, bias_.data() + channel, results);
  const bool adds = residual != nullptr;
  if (adds && !post_.activation_first) loops_.add(residual + at, area, results);
  Activate(post_, 1, kWinogradResults * kWinogradResults * lanes_, 0, nullptr, results);
  if (adds && post_.activation_first) loops_.add(residual + at, area, results);
  loops_.store(results, area, y + at);
}

// Some tiles. `divide` calls a body for parts of a number of equal pieces of work.
template <class Divide>
void Winograd::RunTiles(std::int64_t first, std::int64_t count, const Divide& divide,
                        const Operands& operands, float* memory) const noexcept {
  float* const results = memory + kWinogradPoints * operands_point_;
  divide(count * (channels_ / lanes_), kPartTiles, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t tile = i % count, channel = i / count * lanes_;
      TransformTile(operands.x, first + tile, channel, memory + tile * channels_ + channel);
    }
  });
  divide(kWinogradPoints, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      products_[static_cast<std::size_t>(p)].RunRows(count, memory + p * operands_point_,
                                                     results + p * results_point_);
    }
  });
  divide(count * (outputs_ / lanes_), kPartTiles, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t tile = i % count, channel = i / count * lanes_;
      FinishTile(results + tile * outputs_ + channel, first + tile, channel, operands.residual,
                 operands.y);
    }
  });
}

void Winograd::Run(const float* x, const float* residual, float* y, void* scratch) const noexcept {
  const Operands operands = {x, post_.residual ? residual : nullptr, y};
  const auto run = [&](std::int64_t first, std::int64_t last, const auto& divide, float* memory) {
    while (first < last) {
      const std::int64_t count = TileRows(last - first, together_);
      RunTiles(first, count, divide, operands, memory);
      first += count;
    }
  };
  auto* const memory = static_cast<float*>(scratch);
  const auto among_threads = [](std::int64_t count, std::int64_t grain, const auto& body) {
    Parallel(count, grain, body);
  };
  if (parts_ == 1) return run(0, tiles_, among_threads, memory);
  const auto alone = [](std::int64_t count, std::int64_t, const auto& body) { body(0, count); };
  Parallel(parts_, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      run(tiles_ * part / parts_, tiles_ * (part + 1) / parts_, alone,
          memory + part * PartFloats());
    }
  });
}

}  // namespace dragoman::rt

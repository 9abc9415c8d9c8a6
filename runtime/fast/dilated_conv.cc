// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/dilated_conv.h"

#include <algorithm>

#include "runtime/fast/activate.h"
#include "runtime/fast/panel_tile.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kPanelChannels = 256;  // channels whose panel stays in the first cache
constexpr std::int64_t kPixelGap = 16;        // floats between two pixels

std::int64_t Ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t PixelStride(std::int64_t channels) {
  return BestTile().RoundedUp(channels) + kPixelGap;
}

}  // namespace

bool DilatedConv::Supports(const Window& window, std::int64_t group, const PostOps& post) {
  return window.rank == 2 && group == 1 && !post.residual;
}

DilatedConv::Reach DilatedConv::ReachOf(const WindowAxis& axis, std::int64_t tap) {
  const std::int64_t first = axis.pad_begin - tap * axis.dilation;  // result 0 reads before it
  const std::int64_t begin = first <= 0 ? 0 : Ceiling(first, axis.stride);
  const std::int64_t last = axis.input - 1 + first;  // at most, times the stride
  const std::int64_t end = last < 0 ? 0 : std::min(axis.output, last / axis.stride + 1);
  return {begin, std::max(begin, end)};
}

DilatedConv::DilatedConv(const Window& window, const Shape& x, const Shape& w, const float* weights,
                         const float* bias, const PostOps& post)
    : images_(x[0]),
      channels_(x[1]),
      outputs_(w[0]),
      rows_(window.axes[0]),
      columns_(window.axes[1]),
      x_pixel_(PixelStride(channels_)),
      y_pixel_(PixelStride(outputs_)),
      width_(BestTile().PanelWidth(columns_.output)),
      padded_outputs_(BestTile().RoundedUp(outputs_)),
      bias_(static_cast<std::size_t>(padded_outputs_), 0.0f),
      post_(post) {
  if (bias != nullptr) std::copy_n(bias, outputs_, bias_.begin());
  const std::int64_t tap_floats = padded_outputs_ * channels_;
  std::vector<std::int64_t> places;  // of the taps among the weights of a pair of channels
  for (std::int64_t i = 0; i < rows_.kernel; ++i) {
    for (std::int64_t j = 0; j < columns_.kernel; ++j) {
      const Reach rows = ReachOf(rows_, i), columns = ReachOf(columns_, j);
      if (rows.begin == rows.end || columns.begin == columns.end) continue;
      taps_.push_back({rows, columns, i * rows_.dilation - rows_.pad_begin,
                       j * columns_.dilation - columns_.pad_begin,
                       static_cast<std::int64_t>(taps_.size()) * tap_floats});
      places.push_back(i * columns_.kernel + j);
    }
  }
  panels_ = NewAlignedFloats(static_cast<std::int64_t>(taps_.size()) * tap_floats);
  float* to = panels_.get();
  for (const std::int64_t place : places) {
    for (std::int64_t first = 0; first < outputs_; first += width_) {
      const std::int64_t end = std::min(first + width_, padded_outputs_);
      for (std::int64_t c = 0; c < channels_; ++c) {
        for (std::int64_t o = first; o < end; ++o, ++to)
          *to = o < outputs_ ? weights[(o * channels_ + c) * window.Taps() + place] : 0.0f;
      }
    }
  }
}

// All results of a tap for the outputs of one panel, a row of the image after the other.
void DilatedConv::AddTap(const Tap& tap, const Panel& panel, const float* x,
                         float* y) const noexcept {
  PanelTile tile = {};
  tile.x_row = columns_.stride * x_pixel_;
  tile.added_row = tile.y_row = y_pixel_;
  const float* weights = panels_.get() + tap.weights + panel.first * channels_;
  const std::int64_t first_column = tap.columns.begin * columns_.stride + tap.column;
  for (std::int64_t c = 0; c < channels_; c += kPanelChannels) {
    tile.panel = weights + c * panel.width;
    tile.inputs = std::min(kPanelChannels, channels_ - c);
    for (std::int64_t n = 0; n < images_; ++n) {
      for (std::int64_t i = tap.rows.begin; i < tap.rows.end; ++i) {
        const std::int64_t from = n * rows_.input + i * rows_.stride + tap.row;
        tile.x = x + (from * columns_.input + first_column) * x_pixel_ + c;
        tile.y = y + ((n * rows_.output + i) * columns_.output + tap.columns.begin) * y_pixel_ +
                 panel.first;
        for (std::int64_t left = tap.columns.end - tap.columns.begin; left > 0;) {
          const std::int64_t count = TileRows(left, BestTile().rows);
          tile.added = tile.y;
          MultiplyTile(tile, count, panel.width);
          tile.x += count * tile.x_row;
          tile.y += count * tile.y_row;
          left -= count;
        }
      }
    }
  }
}

void DilatedConv::RunPanel(const Panel& panel, const float* x, float* y) const noexcept {
  const std::int64_t pixels = images_ * rows_.output * columns_.output;
  const float* bias = bias_.data() + panel.first;
  float* results = y + panel.first;
  for (std::int64_t i = 0; i < pixels; ++i) std::copy_n(bias, panel.width, results + i * y_pixel_);
  for (const Tap& tap : taps_) AddTap(tap, panel, x, y);
  Activate(post_, pixels, panel.width, y_pixel_, nullptr, results);
}

void DilatedConv::Run(const float* x, float* y) const noexcept {
  Parallel(Ceiling(outputs_, width_), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin * width_; first < std::min(end * width_, outputs_);
         first += width_) {
      RunPanel({first, std::min(width_, padded_outputs_ - first)}, x, y);
    }
  });
}

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of Conv, ConvInteger and QLinearConv, which differ in how they load and store.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CONV_LOOPS_H_
#define DRAGOMAN_RUNTIME_KERNELS_CONV_LOOPS_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/product.h"
#include "runtime/params/window.h"

namespace dragoman::rt {

// Up to kColumns consecutive results of a plane and where each of their taps lies in the operand's.
class ConvColumns {
 public:
  static constexpr int kColumns = ProductTile<float>::kColumns;

  // Selects results [first, first + count).
  void Select(const Window& window, std::int64_t first, int count) {
    count_ = count;
    for (int c = 0; c < count; ++c) {
      std::int64_t rest = first + c;
      for (int i = window.rank - 1; i >= 0; --i) {
        const WindowAxis& axis = window.axes[i];
        origins_[i][c] = rest % axis.output * axis.stride - axis.pad_begin;
        rest /= axis.output;
      }
    }
  }

  // Locates tap `tap` (row-major over the kernel): offset(c), or -1 in the padding.
  void Locate(const Window& window, std::int64_t tap) {
    std::fill_n(offsets_, count_, std::int64_t{0});
    std::int64_t step = 1;
    for (int i = window.rank - 1; i >= 0; --i) {
      const WindowAxis& axis = window.axes[i];
      const std::int64_t shift = tap % axis.kernel * axis.dilation;
      tap /= axis.kernel;
      for (int c = 0; c < count_; ++c) {
        const std::int64_t at = origins_[i][c] + shift;
        const bool inside = at >= 0 && at < axis.input && offsets_[c] >= 0;
        offsets_[c] = inside ? offsets_[c] + at * step : -1;
      }
      step *= axis.input;
    }
  }

  int count() const { return count_; }
  std::int64_t offset(int c) const { return offsets_[c]; }

 private:
  int count_ = 0;
  std::int64_t origins_[kMaxSpatialRank][kColumns];
  std::int64_t offsets_[kColumns];
};

struct ConvSizes {
  std::int64_t batch = 0;
  std::int64_t group = 1;
  std::int64_t in_channels = 0;   // of one group
  std::int64_t out_channels = 0;  // of one group
};

// `load_x(channel, offset)` is the element `offset` of x, of input channel `channel`;
// `load_w(channel, offset)` the element `offset` of w, of result channel `channel`; both as Sum.
// Then `store(channel, offset, sum)` is called for every element of y. Padding contributes nothing.
template <class Sum, class LoadX, class LoadW, class Store>
class ConvLoops {
 public:
  ConvLoops(const Window& window, const ConvSizes& sizes, LoadX load_x, LoadW load_w, Store store)
      : window_(window),
        sizes_(sizes),
        load_x_(load_x),
        load_w_(load_w),
        store_(store),
        in_plane_(window.InputSize()),
        out_plane_(window.OutputSize()),
        taps_(window.Taps()) {}

  void Run() {
    for (std::int64_t first = 0; first < out_plane_; first += ConvColumns::kColumns) {
      const std::int64_t count = std::min<std::int64_t>(ConvColumns::kColumns, out_plane_ - first);
      columns_.Select(window_, first, static_cast<int>(count));
      for (std::int64_t n = 0; n < sizes_.batch; ++n) {
        for (std::int64_t g = 0; g < sizes_.group; ++g) RunGroup(n, g, first);
      }
    }
  }

 private:
  using Tile = ProductTile<Sum>;

  void RunGroup(std::int64_t n, std::int64_t g, std::int64_t first) {
    const std::int64_t channels = sizes_.group * sizes_.out_channels;
    for (std::int64_t m = 0; m < sizes_.out_channels; m += Tile::kRows) {
      const int rows =
          static_cast<int>(std::min<std::int64_t>(Tile::kRows, sizes_.out_channels - m));
      const std::int64_t channel = g * sizes_.out_channels + m;
      tile_.Clear(rows, columns_.count());
      for (std::int64_t tap = 0; tap < taps_; ++tap) {
        columns_.Locate(window_, tap);
        AddTap(n, g, channel, rows, tap);
      }
      for (int r = 0; r < rows; ++r) {
        const std::int64_t row = (n * channels + channel + r) * out_plane_ + first;
        for (int c = 0; c < columns_.count(); ++c) store_(channel + r, row + c, tile_.sums[r][c]);
      }
    }
  }

  void AddTap(std::int64_t n, std::int64_t g, std::int64_t channel, int rows, std::int64_t tap) {
    std::int64_t k = 0;
    for (; k + Tile::kDepth <= sizes_.in_channels; k += Tile::kDepth) {
      for (int d = 0; d < Tile::kDepth; ++d) Load(d, n, g, k + d, channel, rows, tap);
      tile_.AddProducts(rows, columns_.count());
    }
    for (; k < sizes_.in_channels; ++k) {
      Load(0, n, g, k, channel, rows, tap);
      tile_.AddProduct(0, rows, columns_.count());
    }
  }

  void Load(int d, std::int64_t n, std::int64_t g, std::int64_t k, std::int64_t channel, int rows,
            std::int64_t tap) {
    const std::int64_t x_channel = g * sizes_.in_channels + k;
    const std::int64_t plane = (n * sizes_.group * sizes_.in_channels + x_channel) * in_plane_;
    for (int c = 0; c < columns_.count(); ++c) {
      const std::int64_t at = columns_.offset(c);
      tile_.right[d][c] = at < 0 ? Sum(0) : load_x_(x_channel, plane + at);
    }
    for (int r = 0; r < rows; ++r) {
      const std::int64_t w_plane = (channel + r) * sizes_.in_channels + k;
      tile_.left[d][r] = load_w_(channel + r, w_plane * taps_ + tap);
    }
  }

  const Window& window_;
  const ConvSizes sizes_;
  LoadX load_x_;
  LoadW load_w_;
  Store store_;
  const std::int64_t in_plane_;
  const std::int64_t out_plane_;
  const std::int64_t taps_;
  ConvColumns columns_;
  Tile tile_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CONV_LOOPS_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/block_product.h"

#include <algorithm>

#include "runtime/fast/clones.h"
#include "runtime/fast/panel_tile.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kTileFloats = 1 << 12;     // half of a first cache
constexpr std::int64_t kBlockProducts = 1 << 16;  // below which a thread is not worth its start

// kBlockWords outputs of a panel that lie at the same bits of the words.
struct Lanes {
  const std::uint32_t* words;  // of the first input
  unsigned shift, mask;
  const float* scales;  // of the first input's block
  const float* zeros;
};

// Of inputs of one block.
DRAGOMAN_RT_CLONES void WidenInputs(const Lanes& lanes, std::int64_t inputs, float* to,
                                    std::int64_t to_input) {
  const std::uint32_t* words = lanes.words;
  const unsigned shift = lanes.shift, mask = lanes.mask;
  float scales[kBlockWords], zeros[kBlockWords];
  std::copy_n(lanes.scales, kBlockWords, scales);
  std::copy_n(lanes.zeros, kBlockWords, zeros);
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < inputs; ++k) {
    for (std::int64_t i = 0; i < kBlockWords; ++i) {
      const int number = static_cast<int>((words[i] >> shift) & mask);
      to[i] = (static_cast<float>(number) - zeros[i]) * scales[i];
    }
    words += kBlockWords;
    to += to_input;
  }
}

class PackedBlocks {
 public:
  PackedBlocks(const BlockProductParams& p, const std::uint32_t* matrix, const float* scales,
               const float* zeros, const float* bias)
      : p_(p), matrix_(matrix), scales_(scales), zeros_(zeros), bias_(bias) {
    std::fill_n(zero_, kBlockWords, p.zero);
  }

  // The outputs from `first` on, at most as many as `width`.
  void RunPanel(std::int64_t first, std::int64_t width, const float* x, std::int64_t rows,
                float* y) const {
    const std::int64_t count = std::min(width, p_.outputs - first);
    width = (count + kBlockWords - 1) / kBlockWords * kBlockWords;  // of whole vectors, too
    alignas(64) float tile[kTileFloats];
    std::int64_t end = 0;
    for (std::int64_t begin = 0; begin < p_.inputs; begin = end) {
      end = std::min(p_.inputs, begin + kTileFloats / width);
      Widen(first, width, begin, end, tile);
      Multiply({tile, end - begin, x + begin, p_.inputs, nullptr, nullptr, p_.outputs, y + first,
                p_.outputs},
               first, begin == 0, rows, width, count);
    }
  }

 private:
  void Widen(std::int64_t first, std::int64_t width, std::int64_t begin, std::int64_t end,
             float* tile) const {
    std::int64_t next = 0;
    for (std::int64_t k = begin; k < end; k = next) {
      next = std::min(end, (k / p_.block + 1) * p_.block);
      WidenBlock(first, width, k, next, tile + (k - begin) * width);
    }
  }

  // Inputs of one block.
  void WidenBlock(std::int64_t first, std::int64_t width, std::int64_t begin, std::int64_t end,
                  float* to) const {
    const std::int64_t panel = BlockPanel(p_.bits);
    const std::int64_t grid = begin / p_.block * PaddedOutputs(p_);
    for (std::int64_t output = first; output < first + width; output += kBlockWords) {
      Lanes lanes;
      lanes.words = matrix_ + (output / panel * p_.inputs + begin) * kBlockWords;
      lanes.shift = static_cast<unsigned>(output % panel / kBlockWords * p_.bits);
      lanes.mask = (1u << p_.bits) - 1;
      lanes.scales = scales_ + grid + output;
      lanes.zeros = zeros_ != nullptr ? zeros_ + grid + output : zero_;
      WidenInputs(lanes, end - begin, to + (output - first), width);
    }
  }

  // The widened inputs' share in the sums of all rows.
  void Multiply(PanelTile tile, std::int64_t first, bool begins, std::int64_t rows,
                std::int64_t width, std::int64_t count) const {
    if (begins && bias_ != nullptr) tile.bias = bias_ + first;
    const std::int64_t most = rows <= 2 ? rows : BestTile().rows;  // as wide panels allow
    for (std::int64_t row = 0; row < rows;) {
      const std::int64_t some = TileRows(rows - row, most);
      if (!begins) tile.added = tile.y;
      if (count < width) {
        MultiplyAside(tile, some, width, count, nullptr, nullptr);
      } else {
        MultiplyTile(tile, some, width);
      }
      tile.x += some * p_.inputs;
      tile.y += some * p_.outputs;
      row += some;
    }
  }

  const BlockProductParams& p_;
  const std::uint32_t* matrix_;
  const float* scales_;
  const float* zeros_;
  const float* bias_;
  alignas(64) float zero_[kBlockWords];
};

}  // namespace

Status BlockProduct(const BlockProductParams& p, TensorView<const float> x,
                    TensorView<const std::uint32_t> matrix, TensorView<const float> scales,
                    TensorView<const float> zeros, TensorView<const float> bias,
                    TensorView<float> y) noexcept {
  if (x.shape.empty() || x.shape.back() != p.inputs)
    return Status::Error("the last axis of x is not as long as the rows of the matrix");
  const std::int64_t rows = x.size() / p.inputs;
  if (rows == 0) return Status();
  const PackedBlocks product(p, matrix.data, scales.data, zeros.data, bias.data);
  const std::int64_t width = BestTile().PanelWidth(rows);
  const std::int64_t panels = (p.outputs + width - 1) / width;
  const std::int64_t grain = std::max<std::int64_t>(kBlockProducts / (p.inputs * width * rows), 1);
  Parallel(panels, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t panel = begin; panel < end; ++panel)
      product.RunPanel(panel * width, width, x.data, rows, y.data);
  });
  return Status();
}

}  // namespace dragoman::rt

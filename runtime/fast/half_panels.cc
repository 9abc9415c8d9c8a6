// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/half_panels.h"

#include <algorithm>
#include <cstring>

#include "runtime/fast/activate.h"
#include "runtime/fast/clones.h"
#include "runtime/fast/half_tensors.h"
#include "runtime/fast/panel_tile.h"
#include "runtime/fast/parallel.h"
#include "runtime/fast/precision.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define DRAGOMAN_RT_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#endif

namespace dragoman::rt {

#ifndef DRAGOMAN_RT_BF16

bool HalfPanels::Supported() noexcept { return false; }
void HalfPanels::Pack(const float*, std::int64_t, std::int64_t, const float*, std::int64_t,
                      std::int64_t, std::int64_t, const PostOps&, const PackingOrigin&) {}
void HalfPanels::Run(std::int64_t, const float*, const float*, float*, void*) const noexcept {}
std::int64_t HalfPanels::ScratchBytes(std::int64_t) const noexcept { return 0; }
void HalfPanels::RunRows(std::int64_t, const float*, float*) const noexcept {}

#else

namespace {

constexpr std::int64_t kHalfLanes = 16;
constexpr std::int64_t kTileRows = 8;      // whose sums stay in registers
constexpr std::int64_t kMostInputs = 512;  // of a row that are rounded at once, an even number
constexpr std::int64_t kMostWidth = 128;   // of a panel
constexpr std::int64_t kHalfGrain = 1 << 14, kHalfProducts = 1 << 18;  // worth a thread

// Some rows by some pairs of inputs of one panel.
struct HalfTile {
  const BFloat16* panel;
  std::int64_t pairs;
  const BFloat16* x;
  std::int64_t x_row;
  bool adds;  // to what y holds
  float* y;
  std::int64_t y_row;
  std::int64_t outputs;  // of the panel that there are
};

template <int kRows, int kVectors>
DRAGOMAN_RT_BF16 void MultiplyHalf(const HalfTile& tile) {
  const auto lanes = [&](int v) {
    const std::int64_t left =
        std::clamp<std::int64_t>(tile.outputs - v * kHalfLanes, 0, kHalfLanes);
    return static_cast<__mmask16>((1u << left) - 1);
  };
  __m512 sums[kRows][kVectors];
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) {
    DRAGOMAN_RT_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const __mmask16 held = tile.adds ? lanes(v) : __mmask16{0};
      sums[r][v] = _mm512_maskz_loadu_ps(held, tile.y + r * tile.y_row + v * kHalfLanes);
    }
  }
  const BFloat16* weights = tile.panel;
  for (std::int64_t i = 0; i < tile.pairs; ++i, weights += 2 * kHalfLanes * kVectors) {
    __m512bh by[kVectors];
    DRAGOMAN_RT_UNROLL
    for (int v = 0; v < kVectors; ++v)
      by[v] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(weights + 2 * kHalfLanes * v));
    DRAGOMAN_RT_UNROLL
    for (int r = 0; r < kRows; ++r) {
      std::int32_t pair;
      std::memcpy(&pair, tile.x + r * tile.x_row + 2 * i, sizeof pair);
      const auto both = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
      DRAGOMAN_RT_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_dpbf16_ps(sums[r][v], by[v], both);
    }
  }
  DRAGOMAN_RT_UNROLL
  for (int r = 0; r < kRows; ++r) {
    DRAGOMAN_RT_UNROLL
    for (int v = 0; v < kVectors; ++v)
      _mm512_mask_storeu_ps(tile.y + r * tile.y_row + v * kHalfLanes, lanes(v), sums[r][v]);
  }
}

using HalfLoop = void (*)(const HalfTile&);

// For so many rows by a panel of so many vectors.
HalfLoop FindMultiply(std::int64_t rows, std::int64_t vectors) {
  if (vectors == 8) return MultiplyHalf<1, 8>;
  if (vectors == 4) return rows == 1 ? MultiplyHalf<1, 4> : MultiplyHalf<2, 4>;
  constexpr HalfLoop kByRows[] = {MultiplyHalf<1, 2>, MultiplyHalf<2, 2>, MultiplyHalf<3, 2>,
                                  MultiplyHalf<4, 2>, MultiplyHalf<5, 2>, MultiplyHalf<6, 2>,
                                  MultiplyHalf<7, 2>, MultiplyHalf<8, 2>};
  return kByRows[rows - 1];
}

std::int64_t PairsOf(std::int64_t inputs) { return (inputs + 1) / 2; }

// By a panel of so many vectors.
std::int64_t MostRows(std::int64_t vectors) { return vectors == 2 ? kTileRows : 8 / vectors; }

}  // namespace

bool HalfPanels::Supported() noexcept { return HasArithmetic(Precision::kBF16); }

void HalfPanels::Pack(const float* weights, std::int64_t out_stride, std::int64_t in_stride,
                      const float* bias, std::int64_t outputs, std::int64_t inputs,
                      std::int64_t rows, const PostOps& post, const PackingOrigin& origin) {
  bias_.assign(static_cast<std::size_t>(outputs), 0.0f);
  if (bias != nullptr) std::copy_n(bias, outputs, bias_.data());
  post_ = post;
  outputs_ = outputs;
  inputs_ = inputs;
  vectors_ = TileSizes::PanelVectors(rows);
  const std::int64_t width = vectors_ * kHalfLanes, num_panels = (outputs + width - 1) / width;
  const std::int64_t panel_size = width * 2 * PairsOf(inputs);
  const auto pack = [&]() -> SharedFloats {
    AlignedFloats floats = NewAlignedFloats(num_panels * panel_size / 2);
    auto* panels = reinterpret_cast<BFloat16*>(floats.get());
    std::fill_n(panels, num_panels * panel_size, BFloat16(0.0f));
    for (std::int64_t o = 0; o < outputs; ++o) {
      BFloat16* panel = panels + o / width * panel_size;
      for (std::int64_t i = 0; i < inputs; ++i)
        panel[i / 2 * 2 * width + o % width * 2 + i % 2] =
            BFloat16(weights[o * out_stride + i * in_stride]);
    }
    return floats;
  };
  panels_ = origin.Packed(PackedForm::kHalfPanels,
                          {out_stride, in_stride, outputs, inputs, vectors_}, pack);
}

std::int64_t HalfPanels::ScratchBytes(std::int64_t rows) const noexcept {
  return rows * row_size() * std::int64_t{sizeof(BFloat16)};
}

void HalfPanels::Run(std::int64_t rows, const float* x, const float* residual, float* y,
                     void* scratch) const noexcept {
  if (rows == 0) return;
  auto* const rounded = static_cast<BFloat16*>(scratch);
  if (!post_.residual) residual = nullptr;
  Parallel(rows, kHalfGrain / row_size() + 1, [&](std::int64_t begin, std::int64_t end) {
    Round(end - begin, x + begin * inputs_, rounded + begin * row_size());
  });
  const std::int64_t width = vectors_ * kHalfLanes;
  Parallel((outputs_ + width - 1) / width, kHalfProducts / (rows * row_size() * width) + 1,
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t panel = begin; panel < end; ++panel)
               RunPanel(panel * width, rows, rounded, residual, y);
           });
}

void HalfPanels::Round(std::int64_t rows, const float* x, BFloat16* to) const noexcept {
  for (std::int64_t row = 0; row < rows; ++row, x += inputs_, to += row_size()) {
    Narrow(x, inputs_, to);
    if (row_size() > inputs_) to[inputs_] = BFloat16(0.0f);
  }
}

// All rows, by the panel that begins with output `first`.
void HalfPanels::RunPanel(std::int64_t first, std::int64_t rows, const BFloat16* x,
                          const float* residual, float* y) const noexcept {
  const std::int64_t width = vectors_ * kHalfLanes;
  float sums[kTileRows * kMostWidth];
  for (std::int64_t row = 0; row < rows;) {
    const std::int64_t count = std::min(MostRows(vectors_), rows - row);
    FindMultiply(count, vectors_)({panels() + first * row_size(), row_size() / 2,
                                   x + row * row_size(), row_size(), false, sums, width, width});
    const std::int64_t at = row * outputs_ + first;
    Finish(count, first, residual == nullptr ? nullptr : residual + at, sums, y + at);
    row += count;
  }
}

// From sums of so many rows to results.
void HalfPanels::Finish(std::int64_t rows, std::int64_t first, const float* residual, float* sums,
                        float* y) const noexcept {
  const std::int64_t width = vectors_ * kHalfLanes, count = std::min(width, outputs_ - first);
  const float* const bias = bias_.data() + first;
  const bool adds_first = residual != nullptr && !post_.activation_first;
  for (std::int64_t r = 0; r < rows; ++r) {
    float* const sum = sums + r * width;
    const float* const added = adds_first ? residual + r * outputs_ : nullptr;
    for (std::int64_t o = 0; o < count; ++o) sum[o] += bias[o];
    for (std::int64_t o = 0; o < count && added != nullptr; ++o) sum[o] += added[o];
  }
  if (post_.activation != FusedActivation::kNone)
    Activate(post_, rows, count, width, nullptr, sums);
  const bool adds_last = residual != nullptr && !adds_first;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* const sum = sums + r * width;
    const float* const added = adds_last ? residual + r * outputs_ : nullptr;
    float* const to = y + r * outputs_;
    for (std::int64_t o = 0; o < count; ++o) to[o] = sum[o] + (adds_last ? added[o] : 0.0f);
  }
}

void HalfPanels::RunRows(std::int64_t rows, const float* x, float* y) const noexcept {
  const std::int64_t width = vectors_ * kHalfLanes, most = MostRows(vectors_);
  const std::int64_t panel_size = width * 2 * PairsOf(inputs_);
  BFloat16 halves[kTileRows * kMostInputs];
  for (std::int64_t row = 0; row < rows; row += most) {
    const std::int64_t count = std::min(most, rows - row);
    const HalfLoop multiply = FindMultiply(count, vectors_);
    for (std::int64_t i = 0; i < inputs_; i += kMostInputs) {
      const std::int64_t part = std::min(kMostInputs, inputs_ - i);
      for (std::int64_t r = 0; r < count; ++r) {
        Narrow(x + (row + r) * inputs_ + i, part, halves + r * kMostInputs);
        if (part % 2 == 1) halves[r * kMostInputs + part] = BFloat16(0.0f);
      }
      for (std::int64_t o = 0; o < outputs_; o += width) {
        multiply({panels() + o / width * panel_size + i * width, PairsOf(part), halves, kMostInputs,
                  i > 0, y + row * outputs_ + o, outputs_, outputs_ - o});
      }
    }
  }
}

#endif

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/attention.h"

#include <algorithm>
#include <limits>

#include "runtime/fast/clones.h"
#include "runtime/fast/panel_tile.h"
#include "runtime/fast/parallel.h"
#include "runtime/fast/softmax_rows.h"
#include "runtime/fast/threads.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kScores = 1 << 15;        // floats that stay in the second cache
constexpr std::int64_t kMaxQueries = 96;         // at a time: some tiles
constexpr std::int64_t kFewQueries = 2;          // for which keys and values are not worth packing
constexpr std::int64_t kPairProducts = 1 << 16;  // below which a thread is not worth its start
constexpr int kDotLanes = 16;

std::int64_t RoundedUp(std::int64_t count) { return BestTile().RoundedUp(count); }

std::int64_t QueriesAtATime(const AttentionSizes& sizes) {
  const std::int64_t tile = BestTile().rows;
  const std::int64_t fit = kScores / RoundedUp(sizes.keys) / tile * tile;
  return std::min(sizes.queries, std::clamp(fit, tile, kMaxQueries));
}

std::int64_t MatrixOffset(const AttentionMatrix& matrix, const Shape& batch, std::int64_t entry) {
  return OffsetOf(matrix, batch, batch.size(), entry);
}

std::int64_t MatrixRowStride(const AttentionMatrix& m) { return m.strides[m.strides.size() - 2]; }
std::int64_t ColumnStride(const AttentionMatrix& m) { return m.strides.back(); }

// Some of the outputs of a product.
struct Panel {
  std::int64_t first, width;
  std::int64_t count;  // those that exist
};

// Calls body(panel) for panels of `width` outputs, the last one of as few vectors as it needs.
template <class Body>
void ForPanels(std::int64_t outputs, std::int64_t width, Body body) {
  for (std::int64_t first = 0; first < outputs; first += width) {
    const std::int64_t count = std::min(width, outputs - first);
    body(Panel{first, RoundedUp(count), count});
  }
}

// Panels of the columns of the transposed matrix: rows become outputs.
void PackTransposed(const float* from, std::int64_t row, std::int64_t column, std::int64_t rows,
                    std::int64_t columns, std::int64_t width, float* panels) {
  ForPanels(rows, width, [=](const Panel& panel) {
    float* to = panels + panel.first * columns;
    if (panel.count < panel.width) std::fill_n(to, columns * panel.width, 0.0f);
    for (std::int64_t r = 0; r < panel.count; ++r) {
      const float* x = from + (panel.first + r) * row;
      for (std::int64_t c = 0; c < columns; ++c) to[c * panel.width + r] = x[c * column];
    }
  });
}

void PackValues(const float* from, std::int64_t row, std::int64_t column, std::int64_t rows,
                std::int64_t columns, std::int64_t width, float* panels) {
  ForPanels(columns, width, [=](const Panel& panel) {
    float* to = panels + panel.first * rows;
    if (panel.count < panel.width) std::fill_n(to, rows * panel.width, 0.0f);
    if (column == 1) return CopyRows(rows, panel.count, from + panel.first, row, to, panel.width);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < panel.count; ++c)
        to[r * panel.width + c] = from[r * row + (panel.first + c) * column];
    }
  });
}

DRAGOMAN_RT_CLONES void CopyScaled(std::int64_t count, float scale, const float* x,
                                   std::int64_t stride, float* y) {
  if (stride == 1) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] * scale;
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i * stride] * scale;
}

DRAGOMAN_RT_CLONES void AddMask(std::int64_t count, const float* mask, float* x) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) x[i] += mask[i];
}

// Scores at which the mask has not the value `kept` become `fill`.
DRAGOMAN_RT_CLONES void FillMasked(std::int64_t count, const bool* mask, bool kept, float fill,
                                   float* x) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) x[i] = mask[i] == kept ? x[i] : fill;
}

bool HidesAll(std::int64_t count, const float* scores) {
  return std::all_of(scores, scores + count,
                     [](float x) { return x == -std::numeric_limits<float>::infinity(); });
}

void MaskRow(const AttentionMask& mask, std::int64_t count, const void* data, std::int64_t at,
             float* x) {
  const bool each = ColumnStride(mask.matrix) != 0;
  if (mask.kind == AttentionMask::Kind::kAdd) {
    const float* row = static_cast<const float*>(data) + at;
    if (each) return AddMask(count, row, x);
    for (std::int64_t i = 0; i < count; ++i) x[i] += *row;
    return;
  }
  const bool kept = mask.kind == AttentionMask::Kind::kKeep;
  const bool* row = static_cast<const bool*>(data) + at;
  if (each) return FillMasked(count, row, kept, mask.fill, x);
  if (*row != kept) std::fill_n(x, count, mask.fill);
}

DRAGOMAN_RT_CLONES void Dots(std::int64_t keys, std::int64_t depth, const float* q, const float* k,
                             std::int64_t k_row, float* scores) {
  for (std::int64_t t = 0; t < keys; ++t, k += k_row) {
    float lanes[kDotLanes] = {};
    std::int64_t i = 0;
    for (; i + kDotLanes <= depth; i += kDotLanes) {
      for (int lane = 0; lane < kDotLanes; ++lane) lanes[lane] += q[i + lane] * k[i + lane];
    }
    float sum = 0.0f;
    for (; i < depth; ++i) sum += q[i] * k[i];
    for (const float lane : lanes) sum += lane;
    scores[t] = sum;
  }
}

DRAGOMAN_RT_CLONES void MixValues(std::int64_t keys, std::int64_t features, const float* weights,
                                  const float* v, std::int64_t v_row, float* y) {
  std::fill_n(y, features, 0.0f);
  for (std::int64_t t = 0; t < keys; ++t, v += v_row) {
    const float weight = weights[t];
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < features; ++i) y[i] += weight * v[i];
  }
}

// The scratch memory of one thread.
struct ScratchFloats {
  explicit ScratchFloats(const AttentionSizes& sizes)
      : keys(RoundedUp(sizes.keys) * sizes.depth),
        values(RoundedUp(sizes.features) * sizes.keys),
        queries(RoundedUp(QueriesAtATime(sizes) * sizes.depth)),
        scores(QueriesAtATime(sizes) * RoundedUp(sizes.keys)) {}

  std::int64_t total() const { return keys + values + queries + scores; }

  std::int64_t keys, values, queries, scores;  // floats
};

// The work of one thread.
class Worker {
 public:
  Worker(const AttentionSizes& sizes, const void* const* masks, float* memory)
      : sizes_(sizes),
        masks_(masks),
        together_(QueriesAtATime(sizes)),
        stride_(RoundedUp(sizes.keys)),
        width_(BestTile().PanelWidth(together_)),
        packs_(sizes.queries > kFewQueries || ColumnStride(sizes.k) != 1 ||
               ColumnStride(sizes.v) != 1) {
    const ScratchFloats floats(sizes);
    keys_ = memory;
    values_ = keys_ + floats.keys;
    queries_ = values_ + floats.values;
    scores_ = queries_ + floats.queries;
  }

  void Run(std::int64_t entry, const float* q, const float* k, const float* v, float* y) {
    q += MatrixOffset(sizes_.q, sizes_.batch, entry);
    k += MatrixOffset(sizes_.k, sizes_.batch, entry);
    v += MatrixOffset(sizes_.v, sizes_.batch, entry);
    y += MatrixOffset(sizes_.y, sizes_.batch, entry);
    if (packs_) Load(k, v);
    for (std::int64_t first = 0; first < sizes_.queries; first += together_) {
      const std::int64_t rows = std::min(together_, sizes_.queries - first);
      for (std::int64_t r = 0; r < rows; ++r)
        CopyScaled(sizes_.depth, sizes_.scale, q + (first + r) * MatrixRowStride(sizes_.q),
                   ColumnStride(sizes_.q), queries_ + r * sizes_.depth);
      Score(rows, k);
      for (int i = 0; i < AttentionSizes::kMasks; ++i) Mask(i, entry, first, rows);
      FindHidden(entry, first, rows);
      SoftmaxInPlace(rows, sizes_.keys, stride_, scores_);
      Clear(entry, first, rows);
      Combine(rows, v, y + first * MatrixRowStride(sizes_.y));
    }
  }

 private:
  // Heads that share keys and values come one after the other.
  void Load(const float* k, const float* v) {
    if (k != loaded_k_)
      PackTransposed(k, MatrixRowStride(sizes_.k), ColumnStride(sizes_.k), sizes_.keys,
                     sizes_.depth, width_, keys_);
    if (v != loaded_v_)
      PackValues(v, MatrixRowStride(sizes_.v), ColumnStride(sizes_.v), sizes_.keys, sizes_.features,
                 width_, values_);
    loaded_k_ = k;
    loaded_v_ = v;
  }

  void Score(std::int64_t rows, const float* k) {
    if (packs_)
      return Multiply(rows, sizes_.depth, queries_, sizes_.depth, keys_, stride_, scores_, stride_);
    for (std::int64_t r = 0; r < rows; ++r)
      Dots(sizes_.keys, sizes_.depth, queries_ + r * sizes_.depth, k, MatrixRowStride(sizes_.k),
           scores_ + r * stride_);
  }

  void Combine(std::int64_t rows, const float* v, float* y) {
    const std::int64_t y_row = MatrixRowStride(sizes_.y);
    if (packs_)
      return Multiply(rows, sizes_.keys, scores_, stride_, values_, sizes_.features, y, y_row);
    for (std::int64_t r = 0; r < rows; ++r)
      MixValues(sizes_.keys, sizes_.features, scores_ + r * stride_, v, MatrixRowStride(sizes_.v),
                y + r * y_row);
  }

  void Multiply(std::int64_t rows, std::int64_t inputs, const float* x, std::int64_t x_row,
                const float* panels, std::int64_t outputs, float* y, std::int64_t y_row) const {
    ForPanels(outputs, width_, [=](const Panel& panel) {
      const float* weights = panels + panel.first * inputs;
      PanelTile tile = {weights, inputs, x, x_row, nullptr, nullptr, 0, y + panel.first, y_row};
      for (std::int64_t r = 0; r < rows;) {
        const std::int64_t tile_rows = TileRows(rows - r, BestTile().rows);
        if (panel.count == panel.width) {
          MultiplyTile(tile, tile_rows, panel.width);
        } else {
          MultiplyAside(tile, tile_rows, panel.width, panel.count, nullptr, nullptr);
        }
        r += tile_rows;
        tile.x += tile_rows * x_row;
        tile.y += tile_rows * y_row;
      }
    });
  }

  void Mask(int i, std::int64_t entry, std::int64_t first, std::int64_t rows) {
    const AttentionMask& mask = sizes_.masks[i];
    if (mask.kind == AttentionMask::Kind::kNone) return;
    for (std::int64_t r = 0; r < rows; ++r)
      MaskRow(mask, sizes_.keys, masks_[i], MaskOffset(mask, entry, first + r),
              scores_ + r * stride_);
  }

  std::int64_t MaskOffset(const AttentionMask& mask, std::int64_t entry, std::int64_t query) const {
    return MatrixOffset(mask.matrix, sizes_.batch, entry) + query * MatrixRowStride(mask.matrix);
  }

  // Softmax gives NaN for a row of -inf, as it does for NaN: what is hidden is found before it.
  void FindHidden(std::int64_t entry, std::int64_t first, std::int64_t rows) {
    if (sizes_.zeros == AttentionZeros::kHiddenScores) {
      for (std::int64_t r = 0; r < rows; ++r)
        hidden_[r] = HidesAll(sizes_.keys, scores_ + r * stride_);
    } else if (sizes_.zeros == AttentionZeros::kHiddenMasks) {
      const AttentionMask& mask = sizes_.masks[0];
      const auto* added = static_cast<const float*>(masks_[0]);
      const std::int64_t columns = ColumnStride(mask.matrix) == 0 ? 1 : sizes_.keys;
      for (std::int64_t r = 0; r < rows; ++r)
        hidden_[r] = HidesAll(columns, added + MaskOffset(mask, entry, first + r));
    }
  }

  void Clear(std::int64_t entry, std::int64_t first, std::int64_t rows) {
    AttentionMask mask = sizes_.masks[0];
    mask.fill = 0.0f;
    for (std::int64_t r = 0; r < rows; ++r) {
      float* weights = scores_ + r * stride_;
      switch (sizes_.zeros) {
        case AttentionZeros::kNone:
          return;
        case AttentionZeros::kNan:
          for (std::int64_t i = 0; i < sizes_.keys; ++i) {
            if (weights[i] != weights[i]) weights[i] = 0.0f;
          }
          break;
        case AttentionZeros::kHiddenScores:
        case AttentionZeros::kHiddenMasks:
          if (hidden_[r]) std::fill_n(weights, sizes_.keys, 0.0f);
          break;
        case AttentionZeros::kMasked:
          MaskRow(mask, sizes_.keys, masks_[0], MaskOffset(mask, entry, first + r), weights);
          break;
      }
    }
  }

  const AttentionSizes& sizes_;
  const void* const* masks_;
  std::int64_t together_;  // queries
  std::int64_t stride_;    // of rows of scores
  std::int64_t width_;     // of panels
  bool packs_;
  const float* loaded_k_ = nullptr;
  const float* loaded_v_ = nullptr;
  float *keys_, *values_, *queries_, *scores_;
  bool hidden_[kMaxQueries];  // of the queries at hand
};

bool HasMatrix(const AttentionMatrix& matrix, const AttentionSizes& sizes) {
  return matrix.strides.size() == sizes.batch.size() + 2;
}

}  // namespace

bool PreparedAttention::Supports(const AttentionSizes& sizes) {
  const bool empty = NumElements(sizes.batch) < 1 || sizes.queries < 1 || sizes.keys < 1 ||
                     sizes.depth < 1 || sizes.features < 1;
  if (empty || sizes.batch.size() + 2 > kMaxRank) return false;
  for (const AttentionMatrix* matrix : {&sizes.q, &sizes.k, &sizes.v, &sizes.y}) {
    if (!HasMatrix(*matrix, sizes)) return false;
  }
  for (const AttentionMask& mask : sizes.masks) {
    if (mask.kind == AttentionMask::Kind::kNone) continue;
    if (!HasMatrix(mask.matrix, sizes) || ColumnStride(mask.matrix) > 1) return false;
  }
  return ColumnStride(sizes.y) == 1 || sizes.features == 1;
}

Status PreparedAttention::Init(const FastContext&, const AttentionSizes& sizes) noexcept {
  if (!Supports(sizes)) return Status::Error("this attention has no loops");
  Resize(sizes);
  return Status();
}

void PreparedAttention::Resize(const AttentionSizes& sizes) noexcept {
  sizes_ = sizes;
  batch_ = NumElements(sizes.batch);
  const std::int64_t products =
      batch_ * sizes.queries * sizes.keys * (sizes.depth + sizes.features);
  parts_ = std::clamp<std::int64_t>(products / kPairProducts, 1,
                                    std::min<std::int64_t>(MaxThreads(), batch_));
}

Status PreparedAttention::Run(const float* q, const float* k, const float* v, const void* mask,
                              const void* mask_2, float* y, void* scratch) noexcept {
  const void* masks[AttentionSizes::kMasks] = {mask, mask_2};
  const std::int64_t floats = ScratchFloats(sizes_).total();
  Parallel(parts_, 1, [&](std::int64_t begin, std::int64_t end) {
    Worker worker(sizes_, masks, static_cast<float*>(scratch) + begin * floats);
    for (std::int64_t i = batch_ * begin / parts_; i < batch_ * end / parts_; ++i)
      worker.Run(i, q, k, v, y);
  });
  return Status();
}

std::int64_t PreparedAttention::ScratchBytes() const noexcept {
  return parts_ * ScratchFloats(sizes_).total() * std::int64_t{sizeof(float)};
}

}  // namespace dragoman::rt

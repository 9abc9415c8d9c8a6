#include "runtime/fast/winograd.h"

#include <algorithm>

#include "runtime/fast/activate.h"
#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

using Vector = float __attribute__((vector_size(32), aligned(4), may_alias));

constexpr std::int64_t kLanes = 8;
constexpr std::int64_t kPairs = 8;  // of channels whose weights are transformed together
constexpr std::int64_t kCacheFloats = 96 * 1024;  // of transformed operands and results together
constexpr std::int64_t kMinChannels = 16, kMinTiles = 9, kSmallWeights = 1 << 18;
// Dilations leave the other method (dilated_conv.h) fewer taps to compute.
constexpr std::int64_t kManyTiles = 32, kLargeWeights = 1 << 22;
constexpr std::int64_t kLine = 4 * kLanes;  // of a tile of results
constexpr std::int64_t kTileRows = 6;       // of a product that share the loads of weights

// Bᵀ d of one column or row.
DRAGOMAN_RT_INLINE void TransformLine(const Vector* d, std::int64_t stride, Vector* to,
                                      std::int64_t to_stride) {
  const Vector d0 = d[0], d1 = d[stride], d2 = d[2 * stride], d3 = d[3 * stride],
               d4 = d[4 * stride], d5 = d[5 * stride];
  const Vector even = d4 - d2 * 4.0f, odd = d3 - d1 * 4.0f;
  const Vector far = d4 - d2, step = (d3 - d1) * 2.0f;
  to[0] = d0 * 4.0f - d2 * 5.0f + d4;
  to[to_stride] = even + odd;
  to[2 * to_stride] = even - odd;
  to[3 * to_stride] = far + step;
  to[4 * to_stride] = far - step;
  to[5 * to_stride] = d1 * 4.0f - d3 * 5.0f + d5;
}

// Aᵀ m of one column or row.
DRAGOMAN_RT_INLINE void FinishLine(const Vector* m, std::int64_t stride, Vector* to,
                                   std::int64_t to_stride) {
  const Vector m1 = m[stride], m2 = m[2 * stride], m3 = m[3 * stride], m4 = m[4 * stride];
  const Vector near_sum = m1 + m2, near_difference = m1 - m2;
  const Vector far_sum = m3 + m4, far_difference = m3 - m4;
  to[0] = m[0] + near_sum + far_sum;
  to[to_stride] = near_difference + far_difference * 2.0f;
  to[2 * to_stride] = near_sum + far_sum * 4.0f;
  to[3 * to_stride] = near_difference + far_difference * 8.0f + m[5 * stride];
}

// A tile of 6 × 6 vectors whose rows and columns lie so many floats apart, to 36 places `point`
// floats apart.
DRAGOMAN_RT_CLONES void TransformVectors(const float* from, std::int64_t row, std::int64_t column,
                                         float* to, std::int64_t point) {
  Vector d[36], half[36];
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j)
      d[i * 6 + j] = *reinterpret_cast<const Vector*>(from + i * row + j * column);
  }
  for (int j = 0; j < 6; ++j) TransformLine(d + j, 6, half + j, 6);
  for (int i = 0; i < 6; ++i) TransformLine(half + i * 6, 1, d + i * 6, 1);
  for (int p = 0; p < 36; ++p) *reinterpret_cast<Vector*>(to + p * point) = d[p];
}

// 36 vectors `point` floats apart, to 4 × 4 vectors one behind the other.
DRAGOMAN_RT_CLONES void FinishVectors(const float* from, std::int64_t point, const float* bias,
                                      float* to) {
  Vector m[36], half[24], y[16];
  for (int p = 0; p < 36; ++p) m[p] = *reinterpret_cast<const Vector*>(from + p * point);
  for (int j = 0; j < 6; ++j) FinishLine(m + j, 6, half + j, 6);
  for (int i = 0; i < 4; ++i) FinishLine(half + i * 6, 1, y + i * 4, 1);
  const Vector shift = *reinterpret_cast<const Vector*>(bias);
  for (int i = 0; i < 16; ++i) *reinterpret_cast<Vector*>(to + i * kLanes) = y[i] + shift;
}

// G g Gᵀ for `count` pairs of channels, at most kPairs; entry p of pair i goes to to[p * point +
// i].
DRAGOMAN_RT_CLONES void TransformWeights(const float* g, std::int64_t count, std::int64_t point,
                                         float* to) {
  constexpr double kG[6][3] = {{1.0 / 4, 0, 0},
                               {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                               {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                               {1.0 / 24, 1.0 / 12, 1.0 / 6},
                               {1.0 / 24, -1.0 / 12, 1.0 / 6},
                               {0, 0, 1}};
  double weights[9][kPairs] = {}, half[6][3][kPairs], sums[kPairs];
  for (std::int64_t i = 0; i < count; ++i) {
    for (int k = 0; k < 9; ++k) weights[k][i] = g[i * 9 + k];
  }
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int n = 0; n < kPairs; ++n) {
        half[i][j][n] =
            kG[i][0] * weights[j][n] + kG[i][1] * weights[3 + j][n] + kG[i][2] * weights[6 + j][n];
      }
    }
  }
  for (int p = 0; p < 36; ++p) {
    const auto& row = half[p / 6];
    const double* factors = kG[p % 6];
    for (int n = 0; n < kPairs; ++n)
      sums[n] = row[0][n] * factors[0] + row[1][n] * factors[1] + row[2][n] * factors[2];
    for (std::int64_t i = 0; i < count; ++i) to[p * point + i] = static_cast<float>(sums[i]);
  }
}

// Where the vectors of a tile of results lie in a tensor: so many floats apart.
struct TileArea {
  std::int64_t rows, columns, row, column;
};

// Adds vectors of `added` (may be null) to those of a tile of results.
void AddVectors(const float* added, const TileArea& area, float* results) {
  for (std::int64_t i = 0; added != nullptr && i < area.rows; ++i) {
    for (std::int64_t j = 0; j < area.columns; ++j) {
      *reinterpret_cast<Vector*>(results + i * kLine + j * kLanes) +=
          *reinterpret_cast<const Vector*>(added + i * area.row + j * area.column);
    }
  }
}

void StoreVectors(const float* results, const TileArea& area, float* y) {
  for (std::int64_t i = 0; i < area.rows; ++i) {
    for (std::int64_t j = 0; j < area.columns; ++j) {
      *reinterpret_cast<Vector*>(y + i * area.row + j * area.column) =
          *reinterpret_cast<const Vector*>(results + i * kLine + j * kLanes);
    }
  }
}

// Floats between the places of two points: an odd multiple of 16, so that the 36 places of a vector
// do not compete for the same places of a cache.
std::int64_t PointStride(std::int64_t floats) { return ((floats + 15) / 32 * 2 + 1) * 16; }

std::int64_t Quotient(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

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
  if (window.rank != 2 || group != 1 || x[1] % kBlock != 0 || w[0] % kBlock != 0) return false;
  std::int64_t tiles = x[0];
  for (int i = 0; i < 2; ++i) {
    const WindowAxis& axis = window.axes[i];
    if (axis.kernel != 3 || axis.stride != 1 || axis.output < kOut * axis.dilation) return false;
    tiles *= static_cast<std::int64_t>(FirstResults(axis, kOut).size());
  }
  // With few tiles most of the time goes into reading weights, of which there are four times more.
  const std::int64_t weights = kPoints * x[1] * w[0];
  const bool dilated = window.axes[0].dilation > 1 || window.axes[1].dilation > 1;
  const std::int64_t enough = dilated && weights > kLargeWeights ? kManyTiles : kMinTiles;
  return x[1] >= kMinChannels && w[0] >= kMinChannels &&
         (tiles >= enough || weights <= kSmallWeights);
}

Winograd::Winograd(const Window& window, const Shape& x, const Shape& w, const float* weights,
                   const float* bias, const PostOps& post)
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
      rows_(FirstResults(window.axes[0], kOut)),
      columns_(FirstResults(window.axes[1], kOut)),
      tiles_(x[0] * static_cast<std::int64_t>(rows_.size() * columns_.size())),
      products_(kPoints),
      bias_(static_cast<std::size_t>(outputs_), 0.0f),
      post_(post) {
  const std::int64_t fitting = kCacheFloats / (kPoints * (channels_ + outputs_));
  together_ = std::min(tiles_, std::max<std::int64_t>(fitting / kTileRows, 2) * kTileRows);
  operands_point_ = PointStride(together_ * channels_);
  results_point_ = PointStride(together_ * outputs_);
  if (bias != nullptr) std::copy_n(bias, outputs_, bias_.begin());
  const std::int64_t pairs = outputs_ * channels_;
  std::vector<float> transformed(static_cast<std::size_t>(pairs * kPoints));
  for (std::int64_t i = 0; i < pairs; i += kPairs)
    TransformWeights(weights + i * 9, std::min(kPairs, pairs - i), pairs, transformed.data() + i);
  for (int p = 0; p < kPoints; ++p) {
    products_[static_cast<std::size_t>(p)].Pack(transformed.data() + p * pairs, channels_, 1,
                                                nullptr, outputs_, channels_, together_);
  }
}

std::int64_t Winograd::ScratchBytes() const {
  return kPoints * (operands_point_ + results_point_) * static_cast<std::int64_t>(sizeof(float));
}

Winograd::Place Winograd::PlaceOf(std::int64_t tile) const {
  const auto across = static_cast<std::int64_t>(columns_.size());
  const std::int64_t per_image = static_cast<std::int64_t>(rows_.size()) * across;
  const std::int64_t rest = tile % per_image;
  return {tile / per_image, rows_[static_cast<std::size_t>(rest / across)],
          columns_[static_cast<std::size_t>(rest % across)]};
}

// All channels; tiles that reach beyond x by way of a copy with zeros.
void Winograd::TransformTile(const float* x, std::int64_t tile, float* to) const noexcept {
  const Place place = PlaceOf(tile);
  const std::int64_t top = place.row - pad_top_, left = place.column - pad_left_;
  const std::int64_t row = row_step_ * width_ * kLanes, column = column_step_ * kLanes;
  const bool inside = top >= 0 && left >= 0 && top + (kTile - 1) * row_step_ < height_ &&
                      left + (kTile - 1) * column_step_ < width_;
  for (std::int64_t c = 0; c < channels_; c += kLanes) {
    const float* plane = x + (place.image * channels_ + c) * height_ * width_;
    if (inside) {
      TransformVectors(plane + (top * width_ + left) * kLanes, row, column, to + c,
                       operands_point_);
      continue;
    }
    alignas(32) float patch[kPoints * kLanes] = {};
    for (std::int64_t i = 0; i < kTile; ++i) {
      const std::int64_t y = top + i * row_step_;
      for (std::int64_t j = 0; j < kTile && y >= 0 && y < height_; ++j) {
        const std::int64_t at = left + j * column_step_;
        if (at < 0 || at >= width_) continue;
        std::copy_n(plane + (y * width_ + at) * kLanes, kLanes, patch + (i * kTile + j) * kLanes);
      }
    }
    TransformVectors(patch, kTile * kLanes, kLanes, to + c, operands_point_);
  }
}

void Winograd::FinishTile(const float* from, std::int64_t tile, const float* residual,
                          float* y) const noexcept {
  const Place place = PlaceOf(tile);
  const TileArea area = {
      std::min<std::int64_t>(kOut, Quotient(out_height_ - place.row, row_step_)),
      std::min<std::int64_t>(kOut, Quotient(out_width_ - place.column, column_step_)),
      row_step_ * out_width_ * kLanes, column_step_ * kLanes};
  for (std::int64_t c = 0; c < outputs_; c += kLanes) {
    alignas(32) float results[kOut * kLine];
    FinishVectors(from + c, results_point_, bias_.data() + c, results);
    const std::int64_t at = (place.image * outputs_ + c) * out_height_ * out_width_ +
                            (place.row * out_width_ + place.column) * kLanes;
    const float* added = residual != nullptr ? residual + at : nullptr;
    if (!post_.activation_first) AddVectors(added, area, results);
    Activate(post_, 1, kOut * kLine, 0, nullptr, results);
    if (post_.activation_first) AddVectors(added, area, results);
    StoreVectors(results, area, y + at);
  }
}

void Winograd::Run(const float* x, const float* residual, float* y, void* scratch) const noexcept {
  auto* transformed = static_cast<float*>(scratch);
  float* products = transformed + kPoints * operands_point_;
  if (!post_.residual) residual = nullptr;
  for (std::int64_t first = 0; first < tiles_; first += together_) {
    const std::int64_t count = std::min(together_, tiles_ - first);
    Parallel(count, kTileRows, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        TransformTile(x, first + i, transformed + i * channels_);
    });
    Parallel(kPoints, 1, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        products_[static_cast<std::size_t>(p)].RunRows(count, transformed + p * operands_point_,
                                                       products + p * results_point_);
      }
    });
    Parallel(count, kTileRows, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        FinishTile(products + i * outputs_, first + i, residual, y);
    });
  }
}

}  // namespace dragoman::rt

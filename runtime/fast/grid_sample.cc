// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/grid_sample.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime/fast/indexed_sum.h"
#include "runtime/fast/parallel.h"
#include "runtime/kernels/grid_sample.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kGridPoints = 128;     // that are sampled side by side
constexpr std::int64_t kGridTaps = 1 << 12;   // of these together
constexpr std::int64_t kGridGrain = 1 << 12;  // of a result that a thread is worth
static_assert(kGridTaps >= internal::GridTaps::kMost);

// The taps of some points: the first of all points, the second of all, and so on.
struct TapColumns {
  std::int64_t points = 0;
  int taps = 1;
  std::int32_t offsets[kGridTaps];  // into a plane
  float weights[kGridTaps];

  // `grid` holds a point of `axes` numbers after the other.
  void Fill(const GridSampleParams& p, const float* grid, std::int64_t count, const Shape& sizes,
            const Shape& strides) {
    internal::GridTaps one;
    points = count;
    for (std::int64_t i = 0; i < count; ++i, grid += sizes.size()) {
      taps = internal::FillTaps(p, grid, sizes, strides, 0, &one);
      for (int k = 0; k < taps; ++k) {
        offsets[k * count + i] = static_cast<std::int32_t>(one.offsets[k]);
        weights[k * count + i] = static_cast<float>(one.weights[k]);
      }
    }
  }

  void Sample(const float* plane, float* y) const {
    SumIndexed(points, taps, offsets, weights, plane, y);
  }
};

int TapsOfPoint(const GridSampleParams& p, int axes) {
  const int bits = p.mode == GridSampleMode::kNearest  ? 0
                   : p.mode == GridSampleMode::kLinear ? 1
                                                       : 2;
  return 1 << bits * axes;
}

}  // namespace

void GridSampleFloats(const GridSampleParams& p, TensorView<const float> x,
                      TensorView<const float> grid, TensorView<float> y) noexcept {
  const int axes = x.rank() - 2;
  Shape sizes;
  for (int i = 0; i < axes; ++i) sizes.push_back(x.shape[2 + i]);
  const std::int64_t plane = NumElements(sizes), channels = x.shape[1];
  if (plane == 0 || plane > std::numeric_limits<std::int32_t>::max())
    return GridSample(p, x, grid, y);
  const Shape strides = Strides(sizes);
  const std::int64_t points = ProductOfSizes(grid.shape, 1, grid.rank() - 1);
  const std::int64_t step = std::min(kGridPoints, kGridTaps / TapsOfPoint(p, axes));
  const std::int64_t blocks = (points + step - 1) / step;
  const std::int64_t grain = std::max<std::int64_t>(kGridGrain / (step * channels + 1), 1);
  Parallel(x.shape[0] * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    TapColumns columns;
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t n = block / blocks, first = block % blocks * step;
      columns.Fill(p, grid.data + (n * points + first) * axes, std::min(step, points - first),
                   sizes, strides);
      for (std::int64_t c = n * channels; c < (n + 1) * channels; ++c)
        columns.Sample(x.data + c * plane, y.data + c * points + first);
    }
  });
}

}  // namespace dragoman::rt

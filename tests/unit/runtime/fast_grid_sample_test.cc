// SPDX-License-Identifier: Apache-2.0
// GridSample in f32 against the plain kernel.
#include "runtime/fast/grid_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "runtime/fast/threads.h"
#include "runtime/kernels/grid_sample.h"
#include "tests/unit/runtime/prepared_test.h"

namespace dragoman::rt {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

class FastGridSampleTest : public PreparedTest {
 protected:
  // Both results for `x` at points of `grid`, whose sizes are (N, points, 1, ..., axes).
  void Check(const GridSampleParams& p, const Shape& shape, const std::vector<float>& x,
             std::int64_t points, const std::vector<float>& grid) {
    Shape grid_shape = {shape[0], points}, result = {shape[0], shape[1], points};
    for (int i = 3; i < shape.size(); ++i) {
      grid_shape.push_back(1);
      result.push_back(1);
    }
    grid_shape.push_back(shape.size() - 2);
    std::vector<float> plain = Draw(result), fast = Draw(result);
    const TensorView<const float> from{x.data(), shape}, at{grid.data(), grid_shape};
    GridSample(p, from, at, TensorView<float>{plain.data(), result});
    GridSampleFloats(p, from, at, {fast.data(), result});
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (std::isfinite(plain[i])) {
        ASSERT_NEAR(plain[i], fast[i], 2e-6f) << i;
      } else {
        ASSERT_EQ(std::isnan(plain[i]), std::isnan(fast[i])) << i;
        ASSERT_TRUE(std::isnan(plain[i]) || plain[i] == fast[i]) << i;
      }
    }
  }

  // In all modes, some points outside the image.
  void CheckModes(const Shape& shape, std::int64_t points) {
    const std::vector<float> x = Draw(shape);
    std::vector<float> grid = Draw(shape[0] * points * (shape.size() - 2), 1.6f);
    grid[0] = kNan;
    grid.back() = -kInf;
    for (int mode = 0; mode < 3; ++mode) {
      for (int padding = 0; padding < 3; ++padding) {
        for (const bool align : {false, true}) {
          GridSampleParams p;
          p.mode = static_cast<GridSampleMode>(mode);
          p.padding_mode = static_cast<GridSamplePadding>(padding);
          p.align_corners = align;
          Check(p, shape, x, points, grid);
        }
      }
    }
  }
};

// 300 points of 64 taps are more than are sampled side by side.
TEST_F(FastGridSampleTest, IsThePlainKernel) {
  for (const std::int64_t points : {1, 17, 300}) {
    CheckModes({1, 2, 7}, points);
    CheckModes({2, 3, 5, 6}, points);
    CheckModes({1, 2, 3, 4, 5}, points);
  }
}

TEST_F(FastGridSampleTest, IsThePlainKernelOnTwoThreads) {
  SetThreads(2);
  CheckModes({2, 40, 9, 8}, 700);
  SetThreads(1);
}

// Of an image of NaN and infinities but for one element: a tap without weight adds nothing.
TEST_F(FastGridSampleTest, TapsWithoutWeightCountNothing) {
  GridSampleParams p;
  p.align_corners = true;
  const Shape shape = {1, 1, 3, 3};
  const std::vector<float> x = {kNan, kInf, kNan, kInf, 2.0f, kNan, -kInf, kNan, kInf};
  Check(p, shape, x, 2, {0.0f, 0.0f, 0.5f, 0.0f});
}

TEST_F(FastGridSampleTest, AnEmptyImageShowsZeros) {
  std::vector<float> y = {1.0f, 1.0f};
  const std::vector<float> grid = {0.0f, 0.5f};
  GridSampleFloats({}, {nullptr, {1, 1, 0}}, {grid.data(), {1, 2, 1}}, {y.data(), {1, 1, 2}});
  EXPECT_EQ(y, std::vector<float>({0.0f, 0.0f}));
}

}  // namespace
}  // namespace dragoman::rt

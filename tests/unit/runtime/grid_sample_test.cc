// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/grid_sample.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using Floats = std::vector<float>;

// The image 0, 1, 2, 3 sampled at the given points of its only spatial axis.
Floats Sampled(const GridSampleParams& p, const Floats& points) {
  const Dense<float> x({1, 1, 4}, {0, 1, 2, 3});
  const auto count = static_cast<std::int64_t>(points.size());
  Dense<float> grid({1, count, 1});
  std::copy(points.begin(), points.end(), grid.Out().data);
  Shape shape;
  EXPECT_TRUE(GridSampleShape(p, {1, 1, 4}, {1, count, 1}, &shape).ok());
  EXPECT_EQ(shape, Shape({1, 1, count}));
  Dense<float> y(shape);
  GridSample(p, x.In(), grid.In(), y.Out());
  return y.Values();
}

TEST(GridSampleTest, AlignsCornersOrPixelBorders) {
  GridSampleParams p;
  EXPECT_EQ(Sampled(p, {-0.75f, 0, 1}), Floats({0, 1.5f, 1.5f}));
  p.align_corners = true;
  EXPECT_EQ(Sampled(p, {-1, 0, 1}), Floats({0, 1.5f, 3}));
}

TEST(GridSampleTest, PadsBeyondTheImage) {
  GridSampleParams p;
  p.mode = GridSampleMode::kNearest;
  const Floats points = {-1.5f, 1.75f, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_EQ(Sampled(p, points), Floats({0, 0, 0}));
  p.padding_mode = GridSamplePadding::kBorder;
  EXPECT_EQ(Sampled(p, points), Floats({0, 3, 0}));
  p.padding_mode = GridSamplePadding::kReflection;
  EXPECT_EQ(Sampled(p, {-1.75f, 1.75f}), Floats({1, 2}));
}

TEST(GridSampleTest, ShowsBordersAtAnyDistance) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  GridSampleParams p;
  p.padding_mode = GridSamplePadding::kBorder;
  for (GridSampleMode mode : {GridSampleMode::kNearest, GridSampleMode::kLinear}) {
    p.mode = mode;
    EXPECT_EQ(Sampled(p, {1e30f, kInf, -1e30f, -kInf}), Floats({3, 3, 0, 0}));
  }
}

// More points than there is room for taps at a time: 1,500 of four.
TEST(GridSampleTest, SamplesManyPoints) {
  constexpr std::int64_t kPoints = 1500;
  const Dense<float> x({1, 2, 2, 2}, {0, 1, 2, 3, 10, 11, 12, 13});
  Dense<float> grid({1, 1, kPoints, 2});
  for (std::int64_t i = 0; i < kPoints; ++i) {
    grid.Out().data[2 * i] = static_cast<float>(i) / kPoints * 2 - 1;
    grid.Out().data[2 * i + 1] = 0;
  }
  GridSampleParams p;
  p.align_corners = true;
  Dense<float> y({1, 2, 1, kPoints});
  GridSample(p, x.In(), grid.In(), y.Out());
  for (std::int64_t i = 0; i < kPoints; ++i) {
    const float expected = 1 + static_cast<float>(i) / kPoints;
    EXPECT_NEAR(y.Values()[static_cast<std::size_t>(i)], expected, 1e-6f);
    EXPECT_NEAR(y.Values()[static_cast<std::size_t>(kPoints + i)], 10 + expected, 1e-5f);
  }
}

// Infinities beside the image's point have no part in it.
TEST(GridSampleTest, TapsWithoutWeightCountNothing) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const Dense<float> x({1, 1, 2}, {1, kInf});
  const Dense<float> grid({1, 1, 1}, {-1});
  GridSampleParams p;
  p.align_corners = true;
  Dense<float> y({1, 1, 1});
  GridSample(p, x.In(), grid.In(), y.Out());
  EXPECT_EQ(y.Values(), Floats({1}));
}

// At t = 0.5 Keys' kernel with a = -0.75 weighs -3/32, 19/32, 19/32, -3/32.
TEST(GridSampleTest, InterpolatesWithTheCubicKernel) {
  GridSampleParams p;
  p.mode = GridSampleMode::kCubic;
  const Floats y = Sampled(p, {0});
  EXPECT_FLOAT_EQ(y[0], (1 + 2) * 19.0f / 32 - (0 + 3) * 3.0f / 32);
}

// The point lies half an element in front of the first one, which shows twice.
TEST(GridSampleTest, CubicNeighboursAreOfThePointWhereItIs) {
  GridSampleParams p;
  p.mode = GridSampleMode::kCubic;
  p.padding_mode = GridSamplePadding::kBorder;
  EXPECT_FLOAT_EQ(Sampled(p, {-1})[0], -3.0f / 32);
}

TEST(GridSampleTest, ReadsGridPointsInnermostAxisFirst) {
  const Dense<float> x({1, 1, 2, 3}, {0, 1, 2, 3, 4, 5}), grid({1, 1, 1, 2}, {1, -1});
  GridSampleParams p;
  p.align_corners = true;
  Dense<float> y({1, 1, 1, 1});
  GridSample(p, x.In(), grid.In(), y.Out());
  EXPECT_EQ(y.Values(), Floats({2}));
}

TEST(GridSampleTest, ShapeRefusesAGridThatDoesNotFit) {
  Shape y;
  EXPECT_FALSE(GridSampleShape({}, {1, 1, 4, 4}, {1, 2, 2, 3}, &y).ok());
  EXPECT_FALSE(GridSampleShape({}, {1, 1, 4, 4}, {2, 2, 2, 2}, &y).ok());
}

}  // namespace
}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0
// Prepared Resize against the plain kernel.
#include "runtime/fast/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/fast/threads.h"
#include "runtime/kernels/resize.h"
#include "tests/unit/runtime/prepared_test.h"

namespace dragoman::rt {
namespace {

class PreparedResizeTest : public PreparedTest {
 protected:
  // Results of the plain kernel, and of the prepared operator on so many threads.
  std::vector<std::vector<float>> Both(const ResizeParams& p, const Shape& shape,
                                       const std::vector<float>& x,
                                       const std::vector<float>& scales,
                                       const std::vector<std::int64_t>& sizes, int threads = 1) {
    const auto count = static_cast<std::int64_t>(std::max(scales.size(), sizes.size()));
    const TensorView<const float> data{x.data(), shape},
        by{scales.data(), {scales.empty() ? 0 : count}};
    const TensorView<const std::int64_t> to{sizes.data(), {sizes.empty() ? 0 : count}};
    Shape result;
    EXPECT_TRUE(ResizeShape(p, shape, internal::Entries<FloatSpan>(by),
                            internal::Entries<IntSpan>(to), &result)
                    .ok());
    std::vector<std::vector<float>> y(2, Draw(result));
    const TensorView<float> plain{y[0].data(), result};
    const TensorView<const float> roi;
    EXPECT_TRUE(Resize(p, data, roi, by, to, plain,
                       Scratch(ResizeScratchBytes(p, data, roi, by, to, plain)))
                    .ok());
    SetThreads(threads);
    PreparedResize prepared;
    EXPECT_TRUE(prepared
                    .Init(context_, p, shape, scales.empty() ? nullptr : scales.data(),
                          sizes.empty() ? nullptr : sizes.data())
                    .ok());
    EXPECT_TRUE(prepared.Run(x.data(), y[1].data(), Scratch(prepared.ScratchBytes())).ok());
    SetThreads(1);
    return y;
  }

  void Check(const ResizeParams& p, const Shape& shape, const std::vector<float>& scales,
             const std::vector<std::int64_t>& sizes, int threads = 1) {
    const auto y = Both(p, shape, Draw(shape), scales, sizes, threads);
    for (std::size_t i = 0; i < y[0].size(); ++i)
      ASSERT_NEAR(y[0][i], y[1][i], 2e-6f) << "element " << i;
  }
};

TEST_F(PreparedResizeTest, IsThePlainKernel) {
  using C = CoordinateTransformation;
  for (const ResizeMode mode : {ResizeMode::kLinear, ResizeMode::kCubic}) {
    for (const C transformation : {C::kHalfPixel, C::kHalfPixelSymmetric, C::kPytorchHalfPixel,
                                   C::kAlignCorners, C::kAsymmetric, C::kTfHalfPixelForNn}) {
      for (const bool antialias : {false, true}) {
        ResizeParams p;
        p.mode = mode;
        p.coordinate_transformation_mode = transformation;
        p.antialias = antialias;
        p.exclude_outside = antialias;
        Check(p, {2, 3, 5, 7}, {1, 1, 2.5f, 1.7f}, {});
        Check(p, {2, 3, 12, 9}, {}, {2, 3, 5, 4});
        Check(p, {3, 6, 5}, {}, {3, 4, 11});
        Check(p, {3, 6, 5}, {0.7f, 1, 2}, {});
        Check(p, {9}, {}, {4});
      }
    }
  }
}

TEST_F(PreparedResizeTest, ChannelsBehindAndThreeAxes) {
  ResizeParams p;
  p.mode = ResizeMode::kLinear;
  Check(p, {1, 6, 7, 3}, {}, {1, 12, 10, 3});
  Check(p, {2, 4, 5, 6}, {}, {2, 7, 3, 11});
  p.axes = {2, 1};
  Check(p, {2, 4, 5, 6}, {}, {8, 3});
}

TEST_F(PreparedResizeTest, ThreadsDividePlanes) {
  ResizeParams p;
  p.mode = ResizeMode::kLinear;
  for (const int threads : {2, 3}) Check(p, {1, 5, 30, 40}, {}, {1, 5, 90, 100}, threads);
}

TEST_F(PreparedResizeTest, NothingChangesWhereNothingIsResized) {
  ResizeParams p;
  p.mode = ResizeMode::kCubic;
  const std::vector<float> x = Draw(24);
  EXPECT_EQ(Both(p, {2, 3, 4}, x, {1, 1, 1}, {})[1], x);
}

TEST_F(PreparedResizeTest, WhatHasNoWeightMayBeInfinite) {
  ResizeParams p;
  p.mode = ResizeMode::kLinear;
  p.coordinate_transformation_mode = CoordinateTransformation::kAlignCorners;
  const float infinity = std::numeric_limits<float>::infinity();
  const auto y = Both(p, {1, 3, 3}, {1, 2, 3, 4, infinity, 6, 7, 8, 9}, {}, {1, 5, 5});
  EXPECT_EQ(y[0], y[1]);
  EXPECT_EQ(std::count(y[1].begin(), y[1].end(), infinity), 9);
}

TEST_F(PreparedResizeTest, LeavesOthersToThePlainKernel) {
  ResizeParams p;
  EXPECT_FALSE(PreparedResize::Supports(p, {1, 2}));
  p.mode = ResizeMode::kLinear;
  EXPECT_TRUE(PreparedResize::Supports(p, {1, 2}));
  EXPECT_FALSE(PreparedResize::Supports(p, {0, 2}));
  p.coordinate_transformation_mode = CoordinateTransformation::kTfCropAndResize;
  EXPECT_FALSE(PreparedResize::Supports(p, {1, 2}));
}

}  // namespace
}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0
// The kernels of object detectors.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/kernels/max_roi_pool.h"
#include "runtime/kernels/non_max_suppression.h"
#include "runtime/kernels/roi_align.h"
#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using List = std::vector<std::int64_t>;

// The boxes of one batch and class that are kept.
List Kept(const std::vector<float>& boxes, const std::vector<float>& scores, std::int64_t limit,
          float overlap, const NonMaxSuppressionParams& p = {}) {
  const auto count = static_cast<std::int64_t>(scores.size());
  const Dense<float> box({1, count, 4}, boxes), score({1, 1, count}, scores);
  const Dense<std::int64_t> most(Shape{}, {limit});
  const Dense<float> threshold(Shape{}, {overlap}), least(Shape{}, {0.1f});
  std::vector<char> scratch(static_cast<std::size_t>(NonMaxSuppressionScratchBytes<float>(
      p, box.In(), score.In(), most.In(), threshold.In(), least.In(), {})));
  const std::int64_t rows = NonMaxSuppressionCount<float>(
      p, box.In(), score.In(), most.In(), threshold.In(), least.In(), scratch.data());
  Dense<std::int64_t> selected({rows, 3});
  NonMaxSuppression<float>(p, box.In(), score.In(), most.In(), threshold.In(), least.In(),
                           selected.Out(), scratch.data());
  List kept;
  for (std::int64_t i = 0; i < rows; ++i) kept.push_back(selected.In()[3 * i + 2]);
  return kept;
}

// Two boxes that overlap by 9 of 11 parts, the second with its corners swapped, and one apart.
const std::vector<float> kBoxes = {0, 0, 1, 1, 1, 1.1f, 0, 0.1f, 0, 5, 1, 6};

TEST(NonMaxSuppressionTest, KeepsTheBestOfBoxesThatOverlap) {
  EXPECT_EQ(Kept(kBoxes, {0.5f, 0.9f, 0.3f}, 10, 0.5f), List({1, 2}));
  EXPECT_EQ(Kept(kBoxes, {0.5f, 0.9f, 0.3f}, 10, 0.9f), List({1, 0, 2}));
}

TEST(NonMaxSuppressionTest, HeedsTheLimitAndTheLeastScore) {
  EXPECT_EQ(Kept(kBoxes, {0.5f, 0.9f, 0.3f}, 1, 0.9f), List({1}));
  EXPECT_EQ(Kept(kBoxes, {0.5f, 0.1f, 0.05f}, 10, 0.9f), List({0}));
}

// Pairs of boxes that overlap, ten apart from each other: the better one of each remains.
TEST(NonMaxSuppressionTest, ComparesWithAllBoxesThatAreKept) {
  constexpr std::int64_t kPairs = 21;
  std::vector<float> boxes, scores;
  List better;
  for (std::int64_t i = 0; i < 2 * kPairs; ++i) {
    const auto at = static_cast<float>(i % kPairs * 10);
    boxes.insert(boxes.end(), {at, 0, at + 5, i < kPairs ? 5.0f : 4.0f});
    scores.push_back(1 - static_cast<float>(i) / 64);
    if (i < kPairs) better.push_back(i);
  }
  EXPECT_EQ(Kept(boxes, scores, 100, 0.5f), better);
  EXPECT_EQ(Kept(boxes, scores, 100, 0.9f).size(), boxes.size() / 4);
}

TEST(NonMaxSuppressionTest, OfEqualScoresTheFirstBoxWins) {
  EXPECT_EQ(Kept(kBoxes, {0.5f, 0.5f, 0.5f}, 10, 0.5f), List({0, 2}));
}

TEST(NonMaxSuppressionTest, ReadsBoxesByTheirCenters) {
  NonMaxSuppressionParams p;
  p.center_point_box = true;
  EXPECT_EQ(Kept({0, 0, 2, 2, 0.5f, 0, 2, 2, 9, 0, 2, 2}, {0.9f, 0.8f, 0.7f}, 10, 0.5f, p),
            List({0, 2}));
}

// The pooled values of one region of a 4x4 image whose pixel at (y, x) is 4 y + x.
std::vector<float> Pooled(const RoiAlignParams& p, const std::vector<float>& region) {
  Dense<float> x({1, 1, 4, 4});
  for (std::int64_t i = 0; i < 16; ++i) x.Out()[i] = static_cast<float>(i);
  const Dense<float> rois({1, 4}, region);
  const Dense<std::int64_t> images({1}, {0});
  Shape shape;
  EXPECT_TRUE(RoiAlignShape(p, x.In().shape, rois.In().shape, images.In().shape, &shape).ok());
  Dense<float> y(shape);
  EXPECT_TRUE(RoiAlign(p, x.In(), rois.In(), images.In(), y.Out()).ok());
  return y.Values();
}

TEST(RoiAlignTest, SamplesBetweenPixels) {
  RoiAlignParams p;
  p.output_height = p.output_width = 2;
  p.sampling_ratio = 1;
  // Bins of size 1 around (1.5, 1.5); their centers lie on pixels.
  EXPECT_EQ(Pooled(p, {1, 1, 3, 3}), (std::vector<float>{5, 6, 9, 10}));
  p.coordinate_transformation_mode = RoiAlignCoordinates::kOutputHalfPixel;
  EXPECT_EQ(Pooled(p, {1, 1, 3, 3}), (std::vector<float>{7.5f, 8.5f, 11.5f, 12.5f}));
}

// Points lie evenly about the centre of their bin, and the image is linear. The taps of 100 points
// along an axis are not kept.
TEST(RoiAlignTest, TakesTheMeanOfAnyNumberOfPoints) {
  RoiAlignParams p;
  p.output_height = p.output_width = 2;
  for (const std::int64_t points : {2, 4, 100}) {
    p.sampling_ratio = points;
    const std::vector<float> pooled = Pooled(p, {1, 1, 2.5f, 2.5f});
    const std::vector<float> expected = {4.375f, 5.125f, 7.375f, 8.125f};
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(pooled[i], expected[i], 1e-4f);
  }
}

// Each channel of each region is pooled as it is alone, by few points and by many.
TEST(RoiAlignTest, PoolsChannelsAlike) {
  constexpr std::int64_t kChannels = 3, kPixels = 30;
  Dense<float> x({2, kChannels, 5, 6});
  for (std::int64_t i = 0; i < x.Out().size(); ++i) x.Out()[i] = static_cast<float>(i * 37 % 101);
  const std::vector<float> corners = {0.5f, 1, 4, 3.5f, -1, -2, 6, 5};
  const Dense<float> rois({2, 4}, corners);
  const Dense<std::int64_t> images({2}, {1, 0}), first({1}, {0});
  for (const RoiAlignMode mode : {RoiAlignMode::kAvg, RoiAlignMode::kMax}) {
    for (const std::int64_t points : {0, 3, 13}) {
      RoiAlignParams p;
      p.output_height = 3, p.output_width = 2, p.sampling_ratio = points, p.mode = mode;
      Dense<float> y({2, kChannels, 3, 2}), alone({1, 1, 3, 2});
      ASSERT_TRUE(RoiAlign(p, x.In(), rois.In(), images.In(), y.Out()).ok());
      for (std::int64_t i = 0; i < 2 * kChannels; ++i) {
        const std::int64_t region = i / kChannels;
        const float* plane =
            x.In().data + (images.In()[region] * kChannels + i % kChannels) * kPixels;
        const TensorView<const float> corner{rois.In().data + region * 4, {1, 4}};
        ASSERT_TRUE(RoiAlign(p, {plane, {1, 1, 5, 6}}, corner, first.In(), alone.Out()).ok());
        const std::vector<float> whole = y.Values();
        EXPECT_EQ(std::vector<float>(whole.begin() + i * 6, whole.begin() + i * 6 + 6),
                  alone.Values())
            << points << " points, " << i;
      }
    }
  }
}

// As many as a file may state; their number in a bin is more than an integer holds.
TEST(RoiAlignTest, RefusesMorePointsThanItCounts) {
  RoiAlignParams p;
  p.sampling_ratio = std::int64_t{1} << 62;
  const Dense<float> x({1, 1, 2, 2}, {1, 2, 3, 4}), region({1, 4}, {0, 0, 1, 1});
  const Dense<std::int64_t> image({1}, {0});
  Dense<float> y({1, 1, 1, 1});
  EXPECT_FALSE(RoiAlign(p, x.In(), region.In(), image.In(), y.Out()).ok());
}

TEST(RoiAlignTest, RefusesRegionsThatAreNoneOfTheImages) {
  const Dense<float> x({1, 1, 2, 2}, {1, 2, 3, 4});
  Dense<float> y({1, 1, 1, 1});
  const Dense<float> region({1, 4}, {0, 0, 1, 1});
  const Dense<std::int64_t> second({1}, {1}), first({1}, {0});
  EXPECT_FALSE(RoiAlign<float>({}, x.In(), region.In(), second.In(), y.Out()).ok());
  const Dense<float> endless({1, 4}, {0, 0, std::numeric_limits<float>::infinity(), 1});
  EXPECT_FALSE(RoiAlign<float>({}, x.In(), endless.In(), first.In(), y.Out()).ok());
}

// A region of the image of Pooled; corners are rounded and belong to it.
std::vector<float> LargestOf(const std::vector<float>& region) {
  MaxRoiPoolParams p;
  p.pooled_shape = {2, 2};
  p.spatial_scale = 0.5f;
  Dense<float> x({1, 1, 4, 4});
  for (std::int64_t i = 0; i < 16; ++i) x.Out()[i] = static_cast<float>(i);
  const Dense<float> rois({1, 5}, region);
  Shape shape;
  EXPECT_TRUE(MaxRoiPoolShape(p, x.In().shape, rois.In().shape, &shape).ok());
  Dense<float> y(shape);
  const bool done = MaxRoiPool(p, x.In(), rois.In(), y.Out()).ok();
  return done ? y.Values() : std::vector<float>();
}

TEST(MaxRoiPoolTest, TakesTheLargestPixelOfEachBin) {
  EXPECT_EQ(LargestOf({0, 0, 0, 6, 6}), (std::vector<float>{5, 7, 13, 15}));
  EXPECT_EQ(LargestOf({0, 1, 1, 5, 5}), (std::vector<float>{10, 11, 14, 15}));  // 1 to 3: shared
  EXPECT_EQ(LargestOf({0, 4, 4, 0, 0}), (std::vector<float>{10, 10, 10, 10}));  // one pixel
  EXPECT_EQ(LargestOf({0, 6, 0, 12, 2}), (std::vector<float>{3, 0, 7, 0}));     // partly outside
}

TEST(MaxRoiPoolTest, RefusesRegionsThatAreNoneOfTheImages) {
  EXPECT_TRUE(LargestOf({1, 0, 0, 6, 6}).empty());
  EXPECT_TRUE(LargestOf({0, 0, 0, std::numeric_limits<float>::infinity(), 6}).empty());
}

}  // namespace
}  // namespace dragoman::rt

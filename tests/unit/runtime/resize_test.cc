// SPDX-License-Identifier: Apache-2.0
// Expected values are those of the node tests of ONNX 1.17, unless the test says how it got them.
#include "runtime/kernels/resize.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using Floats = std::vector<float>;

template <class T>
Dense<T> Line(const std::vector<T>& values) {
  Dense<T> line({static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), line.Out().data);
  return line;
}

Dense<float> Counting(const Shape& shape) {
  Dense<float> x(shape);
  for (int i = 0; i < x.Out().size(); ++i) x.Out()[i] = static_cast<float>(i + 1);
  return x;
}

struct Operands {
  Floats roi;
  Floats scales;
  std::vector<std::int64_t> sizes;
};

template <class T>
std::vector<T> Resized(const ResizeParams& p, const Dense<T>& x, const Operands& operands,
                       const Shape& expected) {
  const auto roi = Line(operands.roi), scales = Line(operands.scales);
  const auto sizes = Line(operands.sizes);
  Shape shape;
  EXPECT_TRUE(ResizeShape(p, x.In().shape, internal::Entries<FloatSpan>(scales.In()),
                          internal::Entries<IntSpan>(sizes.In()), &shape)
                  .ok());
  EXPECT_EQ(shape, expected);
  Dense<T> y(shape);
  std::vector<double> scratch(
      ResizeScratchBytes(p, x.In(), roi.In(), scales.In(), sizes.In(), y.Out()) / 8);
  EXPECT_TRUE(Resize(p, x.In(), roi.In(), scales.In(), sizes.In(), y.Out(), scratch.data()).ok());
  return y.Values();
}

void ExpectNear(const Floats& actual, const Floats& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
}

TEST(ResizeTest, NearestByScales) {
  const auto y = Resized({}, Counting({2, 2}), {{}, {2, 3}, {}}, {4, 6});
  EXPECT_EQ(y, Floats({1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4}));
}

// Positions 0, 0.5, 1, 1.5 of 2 elements.
TEST(ResizeTest, NearestModesRoundHalves) {
  ResizeParams p;
  p.coordinate_transformation_mode = CoordinateTransformation::kAsymmetric;
  const auto with = [&](NearestMode mode) {
    p.nearest_mode = mode;
    return Resized(p, Counting({2}), {{}, {2}, {}}, {4});
  };
  EXPECT_EQ(with(NearestMode::kRoundPreferFloor), Floats({1, 1, 2, 2}));
  EXPECT_EQ(with(NearestMode::kRoundPreferCeil), Floats({1, 2, 2, 2}));
  EXPECT_EQ(with(NearestMode::kFloor), Floats({1, 1, 2, 2}));
  EXPECT_EQ(with(NearestMode::kCeil), Floats({1, 2, 2, 2}));
}

// 0.4f is a little more than 0.4, but 1 / 0.4f is 2.5 in float.
TEST(ResizeTest, NearestPlacesAreToldInFloat) {
  ResizeParams p;
  p.coordinate_transformation_mode = CoordinateTransformation::kAsymmetric;
  p.nearest_mode = NearestMode::kRoundPreferCeil;
  const auto y = Resized(p, Counting({5}), {{}, {0.4f}, {}}, {2});
  EXPECT_EQ(y, Floats({1, 4}));
}

// Ties of places that count from the middle are found in float, too: expected are the numbers of
// ONNX Runtime 1.31 and of the package onnx 1.23.
TEST(ResizeTest, NearestPlacesAroundTheMiddle) {
  ResizeParams p;
  p.coordinate_transformation_mode = CoordinateTransformation::kHalfPixelSymmetric;
  EXPECT_EQ(Resized(p, Counting({6}), {{}, {0.3f}, {}}, {1}), Floats({3}));
  EXPECT_EQ(Resized(p, Counting({10}), {{}, {0.3f}, {}}, {3}), Floats({2, 5, 9}));
  EXPECT_EQ(Resized(p, Counting({6}), {{}, {1.6f}, {}}, {9}), Floats({1, 2, 2, 3, 3, 4, 5, 5, 6}));
}

// Nearest rounds up here, but the first row stays the first.
TEST(ResizeTest, AxesOfScaleOneStay) {
  ResizeParams p;
  p.coordinate_transformation_mode = CoordinateTransformation::kTfHalfPixelForNn;
  p.nearest_mode = NearestMode::kCeil;
  const auto y = Resized(p, Counting({2, 2}), {{}, {1, 2}, {}}, {2, 4});
  EXPECT_EQ(y, Floats({2, 2, 2, 2, 4, 4, 4, 4}));
}

TEST(ResizeTest, LinearByCoordinateTransformation) {
  ResizeParams p;
  p.mode = ResizeMode::kLinear;
  ExpectNear(Resized(p, Counting({2, 2}), {{}, {2, 2}, {}}, {4, 4}),
             {1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4});
  p.coordinate_transformation_mode = CoordinateTransformation::kAlignCorners;
  ExpectNear(Resized(p, Counting({2}), {{}, {2}, {}}, {4}), {1, 1.3333333f, 1.6666666f, 2});
  p.coordinate_transformation_mode = CoordinateTransformation::kHalfPixelSymmetric;
  ExpectNear(Resized(p, Counting({4}), {{}, {0.6f}, {}}, {2}), {1.6666667f, 3.3333333f});
  p.coordinate_transformation_mode = CoordinateTransformation::kPytorchHalfPixel;
  ExpectNear(Resized(p, Counting({4, 4}), {{}, {}, {3, 1}}, {3, 1}), {1.6666666f, 7, 12.333333f});
}

// Sizes of 7.5 and 1.2 are cut off before the ends meet: expected are the numbers of ONNX Runtime
// 1.31 and PyTorch 2.14.
TEST(ResizeTest, EndsMeetByTheSizeOfTheResult) {
  ResizeParams p;
  p.mode = ResizeMode::kLinear;
  p.coordinate_transformation_mode = CoordinateTransformation::kAlignCorners;
  ExpectNear(Resized(p, Counting({5}), {{}, {1.5f}, {}}, {7}),
             {1, 1.6666666f, 2.3333333f, 3, 3.6666667f, 4.3333335f, 5});
  ExpectNear(Resized(p, Counting({2, 4}), {{}, {0.6f, 0.6f}, {}}, {1, 2}), {1, 4});
  p.coordinate_transformation_mode = CoordinateTransformation::kTfCropAndResize;
  ExpectNear(Resized(p, Counting({5}), {{0, 1}, {1.5f}, {}}, {7}),
             {1, 1.6666666f, 2.3333333f, 3, 3.6666667f, 4.3333335f, 5});
}

TEST(ResizeTest, CubicWithAndWithoutPlacesOutside) {
  ResizeParams p;
  p.mode = ResizeMode::kCubic;
  ExpectNear(Resized(p, Counting({4, 4}), {{}, {0.8f, 0.8f}, {}}, {3, 3}),
             {1.47119141f, 2.78125f, 4.08251953f, 6.71142578f, 8.02148438f, 9.32275391f,
              11.91650391f, 13.2265625f, 14.52783203f});
  p.cubic_coeff_a = -0.5f;
  p.exclude_outside = true;
  ExpectNear(Resized(p, Counting({4, 4}), {{}, {0.8f, 0.8f}, {}}, {3, 3}),
             {1.36812675f, 2.6695014f, 4.0133367f, 6.57362535f, 7.875f, 9.2188353f, 11.94896657f,
              13.25034122f, 14.59417652f});
}

TEST(ResizeTest, AntialiasStretchesTheKernel) {
  ResizeParams p;
  p.antialias = true;
  p.mode = ResizeMode::kLinear;
  ExpectNear(Resized(p, Counting({4, 4}), {{}, {0.6f, 0.6f}, {}}, {2, 2}),
             {2.875f, 4.5f, 9.375f, 11});
}

TEST(ResizeTest, CropAndResizeExtrapolates) {
  ResizeParams p;
  p.coordinate_transformation_mode = CoordinateTransformation::kTfCropAndResize;
  p.mode = ResizeMode::kLinear;
  p.extrapolation_value = 10;
  ExpectNear(Resized(p, Counting({4, 4}), {{0.4f, 0.6f, 1.2f, 1.7f}, {}, {3, 3}}, {3, 3}),
             {7.6f, 10, 10, 12.4f, 10, 10, 10, 10, 10});
}

TEST(ResizeTest, KeepsTheAspectRatio) {
  ResizeParams p;
  p.axes = {1, 0};
  p.keep_aspect_ratio_policy = AspectRatioPolicy::kNotLarger;
  Resized(p, Counting({2, 4}), {{}, {}, {3, 1}}, {1, 2});
  p.keep_aspect_ratio_policy = AspectRatioPolicy::kNotSmaller;
  Resized(p, Counting({2, 4}), {{}, {}, {3, 1}}, {2, 3});
}

// Cubic overshoots beyond 255 and below 0 next to a step.
TEST(ResizeTest, IntegersSaturate) {
  ResizeParams p;
  p.mode = ResizeMode::kCubic;
  const auto y = Resized(p, Line<std::uint8_t>({0, 0, 255, 255}), {{}, {2}, {}}, {8});
  EXPECT_EQ(y[2], 0);
  EXPECT_EQ(y[5], 255);
}

TEST(ResizeTest, MovesStringsByNearestOnly) {
  const auto x = Line<std::string>({"a", "b"});
  EXPECT_EQ(Resized({}, x, {{}, {2}, {}}, {4}), std::vector<std::string>({"a", "a", "b", "b"}));
  ResizeParams linear;
  linear.mode = ResizeMode::kLinear;
  const auto scales = Line<float>({2});
  Dense<std::string> y({4});
  EXPECT_FALSE(Resize(linear, x.In(), scales.In(), scales.In(), {}, y.Out(), nullptr).ok());
}

TEST(ResizeTest, RefusesWrongOperands) {
  const float wrong[] = {0, -1, std::numeric_limits<float>::quiet_NaN(), 1e30f};
  const std::int64_t size = 3;
  Shape y;
  for (const float& scale : wrong) {
    EXPECT_FALSE(ResizeShape({}, {2}, {&scale, 1}, {}, &y).ok()) << scale;
  }
  const float two = 2;
  EXPECT_FALSE(ResizeShape({}, {2}, {}, {}, &y).ok());
  EXPECT_FALSE(ResizeShape({}, {2}, {&two, 1}, {&size, 1}, &y).ok());
  EXPECT_FALSE(ResizeShape({}, {2, 2}, {&two, 1}, {}, &y).ok());
  EXPECT_FALSE(ResizeShape({}, {0}, {}, {&size, 1}, &y).ok());
}

}  // namespace
}  // namespace dragoman::rt

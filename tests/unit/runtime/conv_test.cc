// SPDX-License-Identifier: Apache-2.0
// Conv by its definition, ConvTranspose as Conv's transpose, the quantised convolutions by Conv.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "runtime/kernels/conv.h"
#include "runtime/kernels/conv_integer.h"
#include "runtime/kernels/conv_transpose.h"
#include "runtime/kernels/q_linear_conv.h"

namespace dragoman::rt {
namespace {

std::vector<double> Draw(const Shape& shape, std::mt19937* random) {
  std::vector<double> values(static_cast<std::size_t>(NumElements(shape)));
  for (double& v : values) v = std::uniform_real_distribution<double>(-1, 1)(*random);
  return values;
}

// The coordinates of element `at`.
Shape Coordinates(std::int64_t at, const Shape& shape) {
  Shape coordinates = shape;
  for (int i = shape.size() - 1; i >= 0; --i) {
    coordinates[i] = at % shape[i];
    at /= shape[i];
  }
  return coordinates;
}

// One element of Conv, straight from the definition.
double ConvElement(const ConvParams& p, const Window& window, const Shape& x,
                   const std::vector<double>& dx, const Shape& w, const std::vector<double>& dw,
                   const Shape& at) {
  const std::int64_t first = at[1] / (w[0] / p.group) * w[1];
  const Shape x_steps = Strides(x);
  const std::int64_t taps = window.Taps();
  double sum = 0;
  for (std::int64_t k = 0; k < w[1] * taps; ++k) {
    Shape weight_sizes = w;
    weight_sizes[0] = 1;
    const Shape tap = Coordinates(k, weight_sizes);
    std::int64_t offset = at[0] * x_steps[0] + (first + tap[1]) * x_steps[1];
    bool inside = true;
    for (int i = 0; i < window.rank; ++i) {
      const WindowAxis& axis = window.axes[i];
      const std::int64_t place =
          at[i + 2] * axis.stride - axis.pad_begin + tap[i + 2] * axis.dilation;
      inside = inside && place >= 0 && place < axis.input;
      offset += place * x_steps[i + 2];
    }
    if (inside) sum += dx[offset] * dw[at[1] * w[1] * taps + k];
  }
  return sum;
}

// A Conv over `rank` axes with uneven attributes.
struct Problem {
  Problem(int rank, std::mt19937* random) {
    p.group = 2;
    x = {rank > 4 ? 1 : 2, 6};
    w = {4, 3};
    for (int i = 0; i < rank; ++i) {
      x.push_back(rank > 3 ? 3 : 5 + i);
      w.push_back(1 + (i + 1) % 3);
      p.strides.push_back(1 + i % 2);
      p.dilations.push_back(1 + (i + 1) % 2);
    }
    for (int i = 0; i < 2 * rank; ++i) p.pads.push_back(1 + i * 5 / 3 % 2);
    EXPECT_TRUE(ConvWindow(p, x, w, &window).ok());
    EXPECT_TRUE(ConvShape(p, x, w, &y).ok());
    dx = Draw(x, random);
    dw = Draw(w, random);
    db = Draw({w[0]}, random);
  }

  ConvParams p;
  Shape x, w, y;
  Window window;
  std::vector<double> dx, dw, db;
};

TEST(Conv, IsItsDefinitionOverOneToSixAxes) {
  std::mt19937 random(3);
  for (int rank = 1; rank <= 6; ++rank) {
    const Problem n(rank, &random);
    std::vector<double> y(static_cast<std::size_t>(NumElements(n.y)));
    Conv<double>(n.p, {n.dx.data(), n.x}, {n.dw.data(), n.w}, {n.db.data(), {n.w[0]}},
                 {y.data(), n.y});
    for (std::int64_t i = 0; i < NumElements(n.y); ++i) {
      const Shape at = Coordinates(i, n.y);
      const double expected = ConvElement(n.p, n.window, n.x, n.dx, n.w, n.dw, at) + n.db[at[1]];
      ASSERT_NEAR(y[i], expected, 1e-12) << "rank " << rank << ", element " << i;
    }
  }
}

TEST(Conv, NarrowFloatsSumInFloat) {
  // 1 + 256 * 2^-10 in half: each addend alone would be lost against the sum's ulp at the end.
  std::vector<Half> x(257, Half(0.0009765625f)), w(257, Half(1.0f));
  x[0] = Half(1.0f);
  Half y;
  Conv<Half>({}, {x.data(), {1, 257, 1}}, {w.data(), {1, 257, 1}}, {}, {&y, {1, 1, 1}});
  EXPECT_EQ(static_cast<float>(y), 1.25f);
}

// <Conv(x), z> = <x, ConvTranspose(z)> for any z: the weight serves both without being moved.
TEST(ConvTranspose, IsTheTransposeOfConv) {
  std::mt19937 random(4);
  for (int rank = 1; rank <= 6; ++rank) {
    const Problem n(rank, &random);
    const std::vector<double> z = Draw(n.y, &random);
    ConvTransposeParams p;
    p.group = n.p.group;
    p.strides = n.p.strides;
    p.dilations = n.p.dilations;
    p.pads = n.p.pads;
    for (int i = 0; i < rank; ++i) {  // what Conv's division by the stride leaves over
      const WindowAxis& axis = n.window.axes[i];
      p.output_padding.push_back((axis.input + axis.pad_begin + axis.pad_end - axis.Span()) %
                                 axis.stride);
    }
    Shape back;
    ASSERT_TRUE(ConvTransposeShape(p, n.y, n.w, &back).ok());
    ASSERT_EQ(back, n.x);
    std::vector<double> y(z.size()), transposed(n.dx.size());
    Conv<double>(n.p, {n.dx.data(), n.x}, {n.dw.data(), n.w}, {}, {y.data(), n.y});
    const TensorView<const double> vz{z.data(), n.y}, vw{n.dw.data(), n.w};
    const TensorView<double> result{transposed.data(), back};
    std::vector<char> scratch(
        static_cast<std::size_t>(ConvTransposeScratchBytes<double>(p, vz, vw, {}, result)));
    ConvTranspose<double>(p, vz, vw, {}, result, scratch.data());
    double left = 0, right = 0;
    for (std::size_t i = 0; i < z.size(); ++i) left += y[i] * z[i];
    for (std::size_t i = 0; i < n.dx.size(); ++i) right += n.dx[i] * transposed[i];
    EXPECT_NEAR(left, right, 1e-9) << "rank " << rank;
  }
}

TEST(ConvTranspose, OutputShapeBeyondTheKernelHoldsTheBias) {
  ConvTransposeParams p;
  p.output_shape = {5};
  const std::vector<float> x{1, 2}, w{1, 1}, b{10};
  std::vector<float> y(5);
  std::vector<char> scratch(64);
  ConvTranspose<float>(p, {x.data(), {1, 1, 2}}, {w.data(), {1, 1, 2}}, {b.data(), {1}},
                       {y.data(), {1, 1, 5}}, scratch.data());
  EXPECT_EQ(y, (std::vector<float>{11, 13, 12, 10, 10}));
}

// The suite's test_convtranspose_autopad_same has an even split; here one element is left over.
TEST(ConvTranspose, SamePadsOnTheSideItNames) {
  const std::vector<float> x{1, 2, 3}, w{1, 10, 100};
  std::vector<float> y(6);
  std::vector<char> scratch(64);
  ConvTransposeParams p;
  p.strides = {2};
  p.auto_pad = AutoPad::kSameUpper;
  ConvTranspose<float>(p, {x.data(), {1, 1, 3}}, {w.data(), {1, 1, 3}}, {}, {y.data(), {1, 1, 6}},
                       scratch.data());
  EXPECT_EQ(y, (std::vector<float>{1, 10, 102, 20, 203, 30}));
  p.auto_pad = AutoPad::kSameLower;
  ConvTranspose<float>(p, {x.data(), {1, 1, 3}}, {w.data(), {1, 1, 3}}, {}, {y.data(), {1, 1, 6}},
                       scratch.data());
  EXPECT_EQ(y, (std::vector<float>{10, 102, 20, 203, 30, 300}));
}

TEST(ConvInteger, PaddingStandsForTheZeroPoint) {
  // The suite's test_convinteger_with_padding.
  const std::vector<std::uint8_t> x{2, 3, 4, 5, 6, 7, 8, 9, 10}, w{1, 1, 1, 1};
  const std::uint8_t zero = 1;
  ConvParams p;
  p.pads = {1, 1, 1, 1};
  std::vector<std::int32_t> y(16);
  ConvInteger<std::uint8_t, std::uint8_t>(p, {x.data(), {1, 1, 3, 3}}, {w.data(), {1, 1, 2, 2}},
                                          {&zero, {}}, {}, {y.data(), {1, 1, 4, 4}});
  EXPECT_EQ(y, (std::vector<std::int32_t>{1, 3, 5, 3, 5, 12, 16, 9, 11, 24, 28, 15, 7, 15, 17, 9}));
}

TEST(QLinearConv, ScalesZeroPointsAndBiasOfChannels) {
  const std::vector<std::uint8_t> x{10, 20, 30};
  const std::vector<std::int8_t> w{2, -3};
  const std::vector<float> w_scale{0.5f, 0.25f};
  const std::vector<std::int8_t> w_zero{0, 1};
  const std::vector<std::int32_t> b{4, -8};
  const float x_scale = 0.1f, y_scale = 0.2f;
  const std::uint8_t x_zero = 20, y_zero = 128;
  std::vector<std::uint8_t> y(6);
  QLinearConv<std::uint8_t, std::int8_t, std::uint8_t>(
      {}, {x.data(), {1, 1, 3}}, {&x_scale, {}}, {&x_zero, {}}, {w.data(), {2, 1, 1}},
      {w_scale.data(), {2}}, {w_zero.data(), {2}}, {&y_scale, {}}, {&y_zero, {}}, {b.data(), {2}},
      {y.data(), {1, 2, 3}});
  EXPECT_EQ(y, (std::vector<std::uint8_t>{124, 129, 134, 132, 127, 122}));
}

}  // namespace
}  // namespace dragoman::rt

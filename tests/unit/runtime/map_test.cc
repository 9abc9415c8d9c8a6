// SPDX-License-Identifier: Apache-2.0
// Loops over elements, tensors in blocks of channels, and the scalar functions of the loops.
#include "runtime/fast/map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/fast/conv.h"
#include "runtime/fast/layout.h"
#include "runtime/fast/math.h"
#include "runtime/kernels/binary.h"

namespace dragoman::rt {
namespace {

std::vector<float> Ramp(const Shape& shape, float step) {
  std::vector<float> values(static_cast<std::size_t>(NumElements(shape)));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(step * static_cast<float>(i + 1));
  return values;
}

// The elements of a row-major tensor in blocks of channels; the last block is filled with zeros.
std::vector<float> InBlocks(const std::vector<float>& values, const Shape& shape,
                            std::int64_t block) {
  const BlockedSizes sizes(shape, block);
  std::vector<float> laid_out(static_cast<std::size_t>(sizes.size()));
  for (std::int64_t n = 0; n < sizes.n; ++n) {
    for (std::int64_t c = 0; c < sizes.channels; ++c) {
      for (std::int64_t s = 0; s < sizes.spatial; ++s) {
        const std::int64_t at =
            ((n * sizes.channel_blocks + c / block) * sizes.spatial + s) * block + c % block;
        laid_out[static_cast<std::size_t>(at)] =
            values[static_cast<std::size_t>((n * sizes.channels + c) * sizes.spatial + s)];
      }
    }
  }
  return laid_out;
}

TEST(Map, BroadcastsAsThePlainKernels) {
  const Shape shapes[] = {{2, 5, 4, 5}, {5, 1, 1}, {1, 5, 1, 1}, {2, 5, 1, 1}, {1},
                          {5},          {4, 1},    {2, 1, 4, 5}, {700}};
  for (const Shape& a_shape : shapes) {
    for (const Shape& b_shape : shapes) {
      const bool long_ones = a_shape[0] == 700 || b_shape[0] == 700;
      const Shape shape = long_ones ? Shape{700} : Shape{2, 5, 4, 5};
      if (long_ones && (NumElements(a_shape) == 1) + (NumElements(b_shape) == 1) +
                               (a_shape[0] == 700) + (b_shape[0] == 700) !=
                           2) {
        continue;
      }
      const std::vector<float> a = Ramp(a_shape, 0.7f), b = Ramp(b_shape, 0.3f);
      const auto count = static_cast<std::size_t>(NumElements(shape));
      std::vector<float> plain(count), sum(count), product(count);
      const TensorView<const float> x{a.data(), a_shape}, y{b.data(), b_shape};
      Add<float>(x, y, {plain.data(), shape});
      Map(
          [](float p, float q, float& r, float& s) {
            r = p + q;
            s = r * p;
          },
          Operands(x, y),
          Results(TensorView<float>{sum.data(), shape}, TensorView<float>{product.data(), shape}));
      EXPECT_EQ(sum, plain);
      Mul<float>(TensorView<const float>{sum.data(), shape}, x, {plain.data(), shape});
      EXPECT_EQ(product, plain);
    }
  }
}

// Of one element to more than are written out at a time, with one that repeats along each axis.
TEST(Map, BroadcastsAlongRowsOfAnyLength) {
  for (const std::int64_t length : {1, 2, 16, 63, 64, 65, 513}) {
    const Shape shape{37, 3, length};
    const std::vector<float> a = Ramp(shape, 0.7f), b = Ramp({37, 3, 1}, 0.3f),
                             c = Ramp({3, length}, 0.2f), d = Ramp({37, 1, 1}, 0.1f), e{0.25f};
    std::vector<float> sum(a.size()), expected(a.size());
    const auto at = [](const std::vector<float>& values, std::int64_t i) {
      return values[static_cast<std::size_t>(i)];
    };
    for (std::int64_t i = 0; i < NumElements(shape); ++i) {
      expected[static_cast<std::size_t>(i)] =
          at(a, i) * at(b, i / length) + at(c, i % (3 * length)) + at(d, i / (3 * length)) * e[0];
    }
    Map([](float v, float w, float x, float y, float z, float& s) { s = v * w + x + y * z; },
        Operands(
            TensorView<const float>{a.data(), shape}, TensorView<const float>{b.data(), {37, 3, 1}},
            TensorView<const float>{c.data(), {3, length}},
            TensorView<const float>{d.data(), {37, 1, 1}}, TensorView<const float>{e.data(), {1}}),
        Results(TensorView<float>{sum.data(), shape}));
    for (std::size_t i = 0; i < sum.size(); ++i)
      ASSERT_NEAR(sum[i], expected[i], 1e-6f) << length << ": " << i;
  }
}

TEST(Map, StoresOverAnOperand) {
  std::vector<float> values = Ramp({1000}, 0.1f);
  const std::vector<float> before = values;
  const TensorView<float> view{values.data(), {1000}};
  Map([](float x, float& y) { y = 2.0f * x; }, Operands(view), Results(view));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], 2.0f * before[i]);
}

TEST(MapBlocked, WalksOverBlocksAndKeepsZerosBehindTheLastChannel) {
  for (std::int64_t block : {8, 16}) {
    for (const Shape& scales : {Shape{1, 20, 1, 1}, Shape{2, 20, 1, 1}, Shape{1}}) {
      const Shape shape{2, 20, 3, 7};
      const std::vector<float> x = Ramp(shape, 0.2f), s = Ramp(scales, 0.9f);
      std::vector<float> plain(x.size());
      Add<float>({x.data(), shape}, {s.data(), scales}, {plain.data(), shape});
      const std::vector<float> laid_out = InBlocks(x, shape, block);
      std::vector<float> sum(laid_out.size(), 5.0f);
      MapBlocked(
          block, [](float a, float b, float& y) { y = a + b; },
          Operands(TensorView<const float>{laid_out.data(), shape},
                   TensorView<const float>{s.data(), scales}),
          Results(TensorView<float>{sum.data(), shape}));
      EXPECT_EQ(sum, InBlocks(plain, shape, block));
    }
  }
}

TEST(Layout, CopiesMeansAndConcatenatesInBlocks) {
  const Shape a_shape{2, 16, 3, 5}, b_shape{2, 5, 3, 5}, whole{2, 21, 3, 5};
  for (std::int64_t block : {1, 8, 16}) {
    const std::vector<float> a = Ramp(a_shape, 0.3f), b = Ramp(b_shape, 0.7f);
    const std::vector<float> a_laid = InBlocks(a, a_shape, block),
                             b_laid = InBlocks(b, b_shape, block);
    std::vector<float> joined(static_cast<std::size_t>(BlockedSizes(whole, block).size()));
    const TensorView<const float> parts[] = {{a_laid.data(), a_shape}, {b_laid.data(), b_shape}};
    ConcatChannels(block, {parts, 2}, {joined.data(), whole});
    std::vector<float> plain(static_cast<std::size_t>(NumElements(whole)));
    CopyToRowMajor(block, {joined.data(), whole}, {plain.data(), whole});
    for (std::size_t n = 0; n < 2; ++n) {
      EXPECT_TRUE(std::equal(a.begin() + static_cast<std::ptrdiff_t>(n * 240),
                             a.begin() + static_cast<std::ptrdiff_t>(n * 240 + 240),
                             plain.begin() + static_cast<std::ptrdiff_t>(n * 315)));
      EXPECT_TRUE(std::equal(b.begin() + static_cast<std::ptrdiff_t>(n * 75),
                             b.begin() + static_cast<std::ptrdiff_t>(n * 75 + 75),
                             plain.begin() + static_cast<std::ptrdiff_t>(n * 315 + 240)));
    }
    std::vector<float> means(42);
    ChannelMeans(block, {joined.data(), whole}, {means.data(), {2, 21, 1, 1}});
    for (std::size_t i = 0; i < means.size(); ++i) {
      double sum = 0.0;
      for (std::size_t s = 0; s < 15; ++s) sum += plain[i * 15 + s];
      EXPECT_NEAR(means[i], sum / 15.0, 1e-6);
    }
  }
}

TEST(Layout, MeansAndMaximaOfImagesOfAnySize) {
  for (std::int64_t height : {1, 7, 33}) {
    const Shape shape{1, 19, height, 11};
    const std::vector<float> x = Ramp(shape, 0.3f);
    for (std::int64_t block : {1, 8, 16}) {
      const std::vector<float> laid = InBlocks(x, shape, block);
      std::vector<float> means(19);
      ChannelMeans(block, {laid.data(), shape}, {means.data(), {1, 19, 1, 1}});
      for (std::size_t c = 0; c < means.size(); ++c) {
        const auto image = x.begin() + static_cast<std::ptrdiff_t>(c) * height * 11;
        EXPECT_NEAR(means[c], std::accumulate(image, image + height * 11, 0.0) / (height * 11),
                    1e-6)
            << height << " rows, block " << block;
      }
      std::vector<float> maxima(19);
      ChannelMaxima(block, {laid.data(), shape}, {maxima.data(), {1, 19, 1, 1}});
      for (std::size_t c = 0; c < maxima.size(); ++c) {
        const auto image = x.begin() + static_cast<std::ptrdiff_t>(c) * height * 11;
        EXPECT_EQ(maxima[c], *std::max_element(image, image + height * 11));
      }
    }
  }
}

TEST(Layout, NanIsTheMaximumOfItsChannelAlone) {
  const Shape shape{1, 5, 20};
  for (std::int64_t at : {0, 7, 19}) {
    std::vector<float> x(100, -1.0f);
    x[static_cast<std::size_t>(40 + at)] = std::numeric_limits<float>::quiet_NaN();
    for (std::int64_t block : {1, 8, 16}) {
      std::vector<float> maxima(5);
      ChannelMaxima(block, {InBlocks(x, shape, block).data(), shape}, {maxima.data(), {1, 5, 1}});
      for (std::size_t c = 0; c < maxima.size(); ++c) EXPECT_EQ(std::isnan(maxima[c]), c == 2);
    }
  }
}

TEST(PreparedConv, GivesTheSameInEveryLayout) {
  FastContext context;
  const Shape x_shape{1, 24, 9, 9}, w_shape{20, 24, 3, 3}, y_shape{1, 20, 7, 7};
  const std::vector<float> x = Ramp(x_shape, 0.3f), w = Ramp(w_shape, 0.11f);
  std::vector<float> expected(static_cast<std::size_t>(NumElements(y_shape)));
  std::vector<char> memory(1 << 20);
  PreparedConv plain;
  ASSERT_TRUE(plain.Init(context, {}, x_shape, w_shape, w.data(), nullptr, {}).ok());
  ASSERT_TRUE(plain.Run(x.data(), nullptr, expected.data(), memory.data()).ok());
  for (std::int64_t x_block : {1, 8, 16}) {
    for (std::int64_t wanted : {0, 1, 8, 16}) {
      std::int64_t y_block = wanted;
      PreparedConv conv;
      ASSERT_TRUE(
          conv.Init(context, {}, x_shape, w_shape, w.data(), nullptr, {}, {x_block, &y_block})
              .ok());
      EXPECT_TRUE(wanted == 0 ? y_block > 0 : y_block == wanted);
      ASSERT_LT(conv.ScratchBytes(), static_cast<std::int64_t>(memory.size()));
      std::vector<float> y(static_cast<std::size_t>(BlockedSizes(y_shape, y_block).size()));
      const std::vector<float> laid_out = InBlocks(x, x_shape, x_block);
      ASSERT_TRUE(conv.Run(laid_out.data(), nullptr, y.data(), memory.data()).ok());
      const std::vector<float> blocked = InBlocks(expected, y_shape, y_block);
      for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], blocked[i], 1e-4f) << i;
    }
  }
}

TEST(FastMath, IsWithinAFewUnitsOfTheLastPlace) {
  for (double x = -20.0; x < 20.0; x += 0.0037) {
    const auto v = static_cast<float>(x);
    const double d = v;
    EXPECT_NEAR(fast::Exp(v), std::exp(d), 3e-7 * std::exp(d)) << v;
    EXPECT_NEAR(fast::Expm1(v), std::expm1(d), 4e-7 * std::fabs(std::expm1(d))) << v;
    EXPECT_NEAR(fast::Softplus(v), std::log1p(std::exp(d)), 4e-7 * std::log1p(std::exp(d))) << v;
    EXPECT_NEAR(fast::Tanh(v), std::tanh(d), 3e-7 * std::fabs(std::tanh(d))) << v;
    EXPECT_NEAR(fast::Erf(v), std::erf(d), 3e-7 * std::fabs(std::erf(d)) + 1e-7) << v;
    EXPECT_NEAR(fast::Sigmoid(v), 1.0 / (1.0 + std::exp(-d)), 4e-7) << v;
    const double mish = d * std::tanh(std::log1p(std::exp(d)));
    EXPECT_NEAR(fast::Mish(v), mish, 5e-7 * std::fabs(mish)) << v;
    for (const double alpha : {1.0, 0.3, -1.5}) {
      const double celu = std::max(d, 0.0) + std::min(alpha * std::expm1(d / alpha), 0.0);
      EXPECT_NEAR(fast::Celu(v, static_cast<float>(alpha)), celu, 1e-6 * std::fabs(celu)) << v;
    }
    EXPECT_NEAR(fast::Atan(v), std::atan(d), 3e-7 * std::fabs(std::atan(d))) << v;
    const double inner = d / 20.0;  // as far as sines go
    const auto w = static_cast<float>(inner);
    EXPECT_NEAR(fast::Asin(w), std::asin(double{w}), 3e-7 * std::fabs(std::asin(double{w}))) << w;
    EXPECT_NEAR(fast::Acos(w), std::acos(double{w}), 3e-7 * std::acos(double{w})) << w;
  }
}

// Floats of every exponent, 4,000 apart and more, and those nearest to multiples of π / 2.
TEST(FastMath, ReducesAllFloatsAlike) {
  std::vector<float> values = {0x1.921fb4p+0f,  0x1.6c6cbcp+2f,  0x1.f9cbe2p+32f,  0x1.33333p+13f,
                               0x1.47d0fep+34f, 0x1.0088bcp+40f, 0x1.fffffep+127f, 1e-45f};
  for (std::uint32_t bits = 0; bits < 0x7f800000u; bits += 40961)
    values.push_back(fast::FromBits(bits));
  for (float v : values) {
    const double d = v;
    const auto near = [](double wanted) { return 2.4e-7 * std::fabs(wanted) + 1e-45; };
    EXPECT_NEAR(fast::Sin(v), std::sin(d), near(std::sin(d))) << v;
    EXPECT_NEAR(fast::Cos(v), std::cos(d), near(std::cos(d))) << v;
    EXPECT_EQ(fast::Sin(-v), -fast::Sin(v));
    EXPECT_EQ(fast::Cos(-v), fast::Cos(v));
    if (v > 0.0f) {
      EXPECT_NEAR(fast::Log(v), std::log(d), near(std::log(d))) << v;
    }
  }
  EXPECT_TRUE(std::signbit(fast::Sin(-0.0f)));
}

// Of all pairs of numbers at which std::pow makes a distinction, and of some between.
TEST(FastMath, PowersAreThoseOfTheLibrary) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values = {0.0f,   1e-45f,     1e-40f,       1e-3f,   0.5f,    0x1.fffffep-1f,
                               1.0f,   1.5f,       2.0f,         3.0f,    127.0f,  149.0f,
                               150.0f, 8388609.0f, 1.e7f,        0x1p24f, 0x1p25f, 1e30f,
                               3e38f,  kInfinity,  std::nanf("")};
  for (float v = 0.01f; v < 100.0f; v *= 1.37f) values.push_back(v);
  for (std::size_t i = values.size(); i > 0; --i) values.push_back(-values[i - 1]);
  for (const float x : values) {
    for (const float y : values) {
      const float wanted = std::pow(x, y), found = fast::Pow(x, y);
      ASSERT_EQ(std::isnan(wanted), std::isnan(found)) << x << " to the power of " << y;
      if (std::isnan(wanted)) continue;
      ASSERT_EQ(std::signbit(wanted), std::signbit(found)) << x << " to the power of " << y;
      const std::uint32_t apart = fast::ToBits(wanted) - fast::ToBits(found) + 1;
      ASSERT_LE(apart, 2u) << x << " to the power of " << y << ": " << wanted << ", " << found;
    }
  }
}

// Floats of every exponent, and those around numbers of 16 bits and halfway between two.
TEST(FastMath, RoundsToSixteenBitsAsTheTypesDo) {
  std::vector<std::uint32_t> all = {0x7f800000u, 0x7f800001u, 0x7fffffffu};
  for (std::uint32_t bits = 0; bits < 0x7f800000u; bits += 0x1000u)
    all.insert(all.end(), {bits, bits + 1, bits + 0xfffu});
  for (const std::uint32_t magnitude : all) {
    for (const std::uint32_t bits : {magnitude, magnitude | 0x80000000u}) {
      const float x = fast::FromBits(bits);
      const auto half = static_cast<float>(Half(x));
      const auto bfloat = static_cast<float>(BFloat16(x));
      if (x != x) {
        ASSERT_TRUE(std::isnan(fast::RoundToHalf(x)) && std::isnan(fast::RoundToBFloat16(x)));
        continue;
      }
      ASSERT_EQ(fast::ToBits(fast::RoundToHalf(x)), fast::ToBits(half)) << x;
      ASSERT_EQ(fast::ToBits(fast::RoundToBFloat16(x)), fast::ToBits(bfloat)) << x;
    }
  }
}

TEST(FastMath, KeepsWhatIsNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::nanf("");
  EXPECT_EQ(fast::Exp(kInfinity), kInfinity);
  EXPECT_EQ(fast::Exp(-kInfinity), 0.0f);
  EXPECT_EQ(fast::Tanh(kInfinity), 1.0f);
  EXPECT_EQ(fast::Tanh(-kInfinity), -1.0f);
  EXPECT_EQ(fast::Erf(-kInfinity), -1.0f);
  EXPECT_EQ(fast::Log(kInfinity), kInfinity);
  EXPECT_EQ(fast::Log(-0.0f), -kInfinity);
  EXPECT_EQ(fast::Mish(kInfinity), kInfinity);
  EXPECT_EQ(fast::Celu(kInfinity, 1.0f), kInfinity);
  EXPECT_EQ(fast::Celu(-kInfinity, 2.0f), -2.0f);
  EXPECT_EQ(fast::Atan(kInfinity), static_cast<float>(std::acos(0.0)));
  EXPECT_EQ(fast::Atan(-kInfinity), -static_cast<float>(std::acos(0.0)));
  EXPECT_TRUE(std::signbit(fast::Atan(-0.0f)));
  EXPECT_TRUE(std::signbit(fast::Asin(-0.0f)));
  EXPECT_EQ(fast::Acos(1.0f), 0.0f);
  EXPECT_EQ(fast::Acos(-1.0f), static_cast<float>(std::acos(-1.0)));
  for (float value : {fast::Exp(nan),        fast::Expm1(nan),
                      fast::Softplus(nan),   fast::Tanh(nan),
                      fast::Erf(nan),        fast::Sigmoid(nan),
                      fast::Relu(nan),       fast::Clip(nan, 0.0f, 1.0f),
                      fast::Sin(nan),        fast::Sin(kInfinity),
                      fast::Cos(nan),        fast::Cos(-kInfinity),
                      fast::Log(nan),        fast::Log(-1.0f),
                      fast::Log(-kInfinity), fast::Mish(nan),
                      fast::Celu(nan, 1.0f), fast::Atan(nan),
                      fast::Asin(nan),       fast::Asin(1.5f),
                      fast::Acos(nan),       fast::Acos(-kInfinity)}) {
    EXPECT_TRUE(std::isnan(value));
  }
}

}  // namespace
}  // namespace dragoman::rt

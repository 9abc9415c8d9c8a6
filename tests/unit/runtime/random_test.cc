// SPDX-License-Identifier: Apache-2.0
// Kernels that draw random numbers: the generator against published answers, the numbers against
// moments and quantiles of their distributions.
#include "runtime/kernels/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime/kernels/dropout.h"
#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kCount = 200'000;

double MeanOf(const std::vector<double>& values, int power = 1) {
  double sum = 0;
  for (double value : values) sum += std::pow(value, power);
  return sum / static_cast<double>(values.size());
}

// The largest distance of the empirical distribution function from `cdf`: below 1.63 / sqrt(n) with
// probability 0.99 (A. N. Kolmogorov, 1933).
template <class F>
double DistanceFrom(F cdf, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  double largest = 0;
  const auto n = static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    largest = std::max(largest, std::abs(cdf(values[i]) - (static_cast<double>(i) + 0.5) / n));
  return largest;
}

// Of the test vectors that J. K. Salmon and others published with the generator.
TEST(PhiloxTest, GivesThePublishedBlocks) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomTest, DrawsAreFunctionsOfSeedAndNumber) {
  Dense<float> first({5}), second({5}), again({5});
  RandomSource random(3);
  RandomNormal(RandomParams(), first.Out(), random);
  RandomNormal(RandomParams(), second.Out(), random);
  EXPECT_NE(first.Values(), second.Values());
  random.SetSeed(3);
  RandomNormal(RandomParams(), again.Out(), random);
  EXPECT_EQ(first.Values(), again.Values());
  random.SetSeed(4);
  RandomNormal(RandomParams(), again.Out(), random);
  EXPECT_NE(first.Values(), again.Values());
}

TEST(RandomTest, ASeedOfTheNodeCountsInPlaceOfTheModels) {
  Dense<float> first({5}), second({5});
  const RandomParams seeded{0, 1, true, 42};
  RandomSource one(1), two(2);
  RandomUniform(seeded, first.Out(), one);
  RandomUniform(seeded, second.Out(), two);
  EXPECT_EQ(first.Values(), second.Values());
}

TEST(RandomTest, NormalNumbersHaveMomentsAndDistribution) {
  Dense<double> x({kCount});
  RandomSource random;
  RandomNormal(RandomParams{3, 2}, x.Out(), random);
  std::vector<double> values = x.Values();
  for (double& value : values) value = (value - 3) / 2;
  EXPECT_NEAR(MeanOf(values), 0, 0.01);
  EXPECT_NEAR(MeanOf(values, 2), 1, 0.02);
  EXPECT_NEAR(MeanOf(values, 3), 0, 0.05);
  EXPECT_NEAR(MeanOf(values, 4), 3, 0.1);
  const auto cdf = [](double v) { return std::erfc(-v / std::sqrt(2.0)) / 2; };
  EXPECT_LT(DistanceFrom(cdf, values), 1.63 / std::sqrt(kCount));
}

TEST(RandomTest, UniformNumbersStayBelowTheHighestInEveryType) {
  Dense<double> x({kCount});
  RandomSource random;
  RandomUniform(RandomParams{0, 1}, x.Out(), random);
  EXPECT_LT(DistanceFrom([](double v) { return v; }, x.Values()), 1.63 / std::sqrt(kCount));
  Dense<Half> halves({kCount});
  RandomUniform(RandomParams{0, 1}, halves.Out(), random);
  double most = 0;
  for (Half half : halves.Values()) most = std::max(most, double{Widen(half)});
  EXPECT_EQ(most, 1 - 0x1p-11);
}

TEST(RandomTest, BernoulliGivesOneWithTheProbabilityOfTheOperand) {
  Dense<float> p({kCount}), y({kCount});
  std::fill_n(p.Out().data, kCount, 0.25f);
  p.Out()[0] = 0;
  p.Out()[1] = 1;
  RandomSource random;
  Bernoulli(RandomParams(), p.In(), y.Out(), random);
  const std::vector<float> drawn = y.Values();
  EXPECT_EQ(drawn[0], 0);
  EXPECT_EQ(drawn[1], 1);
  EXPECT_NEAR(MeanOf({drawn.begin(), drawn.end()}), 0.25, 0.005);
}

// Weights 1, 0, 3, by logarithms to which a constant may be added.
TEST(RandomTest, MultinomialGivesClassesByTheirWeights) {
  const Dense<float> logs({2, 3}, {5, -INFINITY, 5 + std::log(3.0f), 0, -INFINITY, -INFINITY});
  Dense<std::int64_t> y({2, kCount});
  RandomSource random;
  ASSERT_TRUE(Multinomial(RandomParams(), logs.In(), y.Out(), random).ok());
  const std::vector<std::int64_t> drawn = y.Values();
  std::vector<double> counts(3);
  for (std::int64_t i = 0; i < kCount; ++i) counts.at(drawn[i]) += 1.0 / kCount;
  EXPECT_NEAR(counts[0], 0.25, 0.005);
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(counts[2], 0.75, 0.005);
  EXPECT_TRUE(std::all_of(drawn.begin() + kCount, drawn.end(), [](auto c) { return c == 0; }));
  const Dense<float> nothing({1, 2}, {-INFINITY, -INFINITY});
  Dense<std::int64_t> none({1, 1});
  EXPECT_FALSE(Multinomial(RandomParams(), nothing.In(), none.Out(), random).ok());
}

TEST(RandomTest, DropoutInTrainingKeepsAShareAndTheMean) {
  Dense<float> x({kCount}), y({kCount});
  Dense<bool> mask({kCount});
  std::fill_n(x.Out().data, kCount, 3.0f);
  const Dense<float> ratio({}, {0.2f}), all({}, {1.0f});
  const Dense<bool> training({}, {true});
  RandomSource random;
  ASSERT_TRUE(
      Dropout(DropoutParams(), x.In(), ratio.In(), training.In(), y.Out(), mask.Out(), random)
          .ok());
  double kept = 0;
  for (std::int64_t i = 0; i < kCount; ++i) {
    kept += mask.Out()[i] ? 1.0 / kCount : 0;
    ASSERT_FLOAT_EQ(y.Out()[i], mask.Out()[i] ? 3.75f : 0.0f);
  }
  EXPECT_NEAR(kept, 0.8, 0.005);
  EXPECT_FALSE(
      Dropout(DropoutParams(), x.In(), all.In(), training.In(), y.Out(), mask.Out(), random).ok());
}

}  // namespace
}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0
// Rotary embedding against its definition, in double.
#include "runtime/fast/rotary.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace dragoman::rt {
namespace {

std::vector<float> Draw(std::int64_t count) {
  static std::mt19937 random(5);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = std::uniform_real_distribution<float>(-1.0f, 1.0f)(random);
  return values;
}

// Three heads over seven positions; x lies by positions, the tables are shared by heads.
void Check(std::int64_t pairs, bool interleaved, bool whole_tables) {
  constexpr std::int64_t kHeads = 3, kPositions = 7, kOffset = 2;
  const std::int64_t size = 2 * pairs, columns = whole_tables ? size : pairs;
  const std::vector<float> x = Draw(kOffset + kHeads * kPositions * size),
                           cos = Draw(kPositions * columns), sin = Draw(kPositions * columns);
  RotarySizes sizes;
  sizes.batch = {kHeads, kPositions};
  sizes.pairs = pairs;
  sizes.interleaved = interleaved;
  sizes.whole_tables = whole_tables;
  sizes.x = {kOffset, {size, kHeads * size}};
  sizes.cos = sizes.sin = {0, {0, columns}};
  FastContext context;
  PreparedRotary rotary;
  ASSERT_TRUE(rotary.Init(context, sizes).ok());
  std::vector<float> y(static_cast<std::size_t>(kHeads * kPositions * size));
  ASSERT_TRUE(rotary.Run(x.data(), cos.data(), sin.data(), y.data(), nullptr).ok());
  const auto at = [](const std::vector<float>& values, std::int64_t i) {
    return double{values[static_cast<std::size_t>(i)]};
  };
  for (std::int64_t row = 0; row < kHeads * kPositions; ++row) {
    const std::int64_t head = row / kPositions, position = row % kPositions;
    for (std::int64_t i = 0; i < size; ++i) {
      const bool second = interleaved ? i % 2 == 1 : i >= pairs;
      const std::int64_t distance = interleaved ? 1 : pairs;
      const std::int64_t partner = second ? i - distance : i + distance;
      const std::int64_t column = whole_tables ? i : interleaved ? i / 2 : i % pairs;
      const std::int64_t from = kOffset + (position * kHeads + head) * size;
      const std::int64_t angle = position * columns + column;
      const double turned = at(x, from + i) * at(cos, angle) +
                            (second ? 1 : -1) * at(x, from + partner) * at(sin, angle);
      ASSERT_NEAR(at(y, row * size + i), turned, 1e-6) << "row " << row << ", element " << i;
    }
  }
}

TEST(Rotary, TurnsHalves) {
  for (const std::int64_t pairs : {1, 5, 32}) {
    Check(pairs, false, true);
    Check(pairs, false, false);
  }
}

TEST(Rotary, TurnsNeighbours) {
  for (const std::int64_t pairs : {1, 5, 32}) {
    Check(pairs, true, true);
    Check(pairs, true, false);
  }
}

TEST(Rotary, RefusesWhatHasNoRows) {
  EXPECT_FALSE(PreparedRotary::Supports({{0}, 2, false, false, {0, {4}}, {0, {4}}, {0, {4}}}));
  EXPECT_FALSE(PreparedRotary::Supports({{3}, 2, false, false, {0, {}}, {0, {4}}, {0, {4}}}));
}

}  // namespace
}  // namespace dragoman::rt

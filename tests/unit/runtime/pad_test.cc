// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/pad.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using Bytes = std::vector<std::uint8_t>;

// 1, 2, 3 padded on both sides with 9.
Bytes Padded(PadMode mode, std::int64_t begin, std::int64_t end) {
  const Dense<std::uint8_t> x({3}, {1, 2, 3}), nine(Shape{}, {9});
  const Dense<std::int64_t> pads({2}, {begin, end});
  PadParams p;
  p.mode = mode;
  Dense<std::uint8_t> y({3 + begin + end});
  EXPECT_TRUE(Pad(p, x.In(), pads.In(), nine.In(), TensorView<const std::int64_t>{}, y.Out()).ok());
  return y.Values();
}

TEST(PadTest, GrowsByMode) {
  EXPECT_EQ(Padded(PadMode::kConstant, 2, 1), Bytes({9, 9, 1, 2, 3, 9}));
  EXPECT_EQ(Padded(PadMode::kEdge, 2, 1), Bytes({1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(Padded(PadMode::kReflect, 2, 1), Bytes({3, 2, 1, 2, 3, 2}));
  EXPECT_EQ(Padded(PadMode::kWrap, 2, 1), Bytes({2, 3, 1, 2, 3, 1}));
}

TEST(PadTest, RepeatsPastTheSize) {
  EXPECT_EQ(Padded(PadMode::kReflect, 5, 0), Bytes({2, 1, 2, 3, 2, 1, 2, 3}));
  EXPECT_EQ(Padded(PadMode::kWrap, 0, 4), Bytes({1, 2, 3, 1, 2, 3, 1}));
}

TEST(PadTest, CropsFirst) {
  EXPECT_EQ(Padded(PadMode::kConstant, -1, 2), Bytes({2, 3, 9, 9}));
  EXPECT_EQ(Padded(PadMode::kConstant, 2, -1), Bytes({9, 9, 1, 2}));
  EXPECT_EQ(Padded(PadMode::kReflect, -1, 2), Bytes({2, 3, 2, 3}));
  EXPECT_EQ(Padded(PadMode::kConstant, -5, 4), Bytes({9, 9}));
}

TEST(PadTest, TakesAxesAndZeroByDefault) {
  const Dense<std::uint8_t> x({2, 2}, {1, 2, 3, 4});
  const Dense<std::int64_t> pads({2}, {1, 0});
  const Dense<std::int32_t> axes({1}, {-2});
  Dense<std::uint8_t> y({3, 2});
  EXPECT_TRUE(Pad({}, x.In(), pads.In(), {}, axes.In(), y.Out()).ok());
  EXPECT_EQ(y.Values(), Bytes({0, 0, 1, 2, 3, 4}));
}

TEST(PadTest, ShapeRefusesWhatCannotBePadded) {
  const std::int64_t away[] = {-2, 0}, deep[] = {-3, 1}, axes[] = {1};
  Shape y;
  PadParams edge;
  edge.mode = PadMode::kEdge;
  EXPECT_FALSE(PadShape({}, {1}, {away, 2}, {}, &y).ok());
  EXPECT_FALSE(PadShape(edge, {3}, {deep, 2}, {}, &y).ok());
  EXPECT_FALSE(PadShape({}, {3}, {away, 2}, {axes, 1}, &y).ok());
  EXPECT_FALSE(PadShape({}, {3}, {away, 1}, {}, &y).ok());
}

}  // namespace
}  // namespace dragoman::rt

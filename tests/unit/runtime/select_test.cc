// SPDX-License-Identifier: Apache-2.0
// Kernels that sort, select, count and generate.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "runtime/kernels/compress.h"
#include "runtime/kernels/cum_sum.h"
#include "runtime/kernels/eye_like.h"
#include "runtime/kernels/non_zero.h"
#include "runtime/kernels/range.h"
#include "runtime/kernels/top_k.h"
#include "runtime/kernels/trilu.h"
#include "runtime/kernels/unique.h"
#include "runtime/params/range.h"
#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;
using List = std::vector<std::int64_t>;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(TopKTest, PrefersTheLowerIndexAndNaN) {
  const Dense<float> x({5}, {1, 3, kNaN, 3, 0});
  const Dense<std::int64_t> k({1}, {3});
  Dense<float> values({3});
  Dense<std::int64_t> indices({3});
  std::vector<Placed<float>> scratch(5);
  EXPECT_EQ(TopKScratchBytes({}, x.In(), k.In(), values.Out(), indices.Out()),
            static_cast<std::int64_t>(5 * sizeof(Placed<float>)));
  TopK({}, x.In(), k.In(), values.Out(), indices.Out(), scratch.data());
  EXPECT_EQ(indices.Values(), List({2, 1, 3}));
  TopKParams smallest;
  smallest.largest = false;
  TopK(smallest, x.In(), k.In(), values.Out(), indices.Out(), scratch.data());
  EXPECT_EQ(indices.Values(), List({4, 0, 1}));
  EXPECT_EQ(values.Values(), Floats({0, 1, 3}));
}

TEST(TopKTest, RunsAlongAnyAxis) {
  const Dense<std::int32_t> x({2, 3}, {1, 5, 2, 4, 3, 6});
  TopKParams p;
  p.axis = 0;
  const std::int64_t one = 1, three = 3;
  Shape shape, same;
  EXPECT_TRUE(TopKShape(p, {2, 3}, {&one, 1}, &shape, &same).ok());
  EXPECT_FALSE(TopKShape(p, {2, 3}, {&three, 1}, &shape, &same).ok());
  Dense<std::int32_t> values({1, 3});
  Dense<std::int64_t> indices({1, 3});
  Placed<std::int32_t> scratch[2];
  TopK(p, x.In(), {}, values.Out(), indices.Out(), scratch);
  EXPECT_EQ(values.Values(), std::vector<std::int32_t>({4, 5, 6}));
  EXPECT_EQ(indices.Values(), List({1, 0, 1}));
}

Floats CumSumOf(bool exclusive, bool reverse) {
  const Dense<float> x({2, 3}, {1, 2, 3, 4, 5, 6});
  const Dense<std::int32_t> axis(Shape{}, {-1});
  CumSumParams p;
  p.exclusive = exclusive;
  p.reverse = reverse;
  Dense<float> y({2, 3});
  EXPECT_TRUE(CumSum(p, x.In(), axis.In(), y.Out()).ok());
  return y.Values();
}

TEST(CumSumTest, RunsBothWays) {
  EXPECT_EQ(CumSumOf(false, false), Floats({1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(CumSumOf(true, false), Floats({0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(CumSumOf(false, true), Floats({6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(CumSumOf(true, true), Floats({5, 3, 0, 11, 6, 0}));
}

// Lines side by side are walked together, up to 32 of them.
TEST(CumSumTest, EachLineHasASumOfItsOwn) {
  constexpr std::int64_t kLines = 131;
  Dense<float> x({2, 3, kLines}), y({2, 3, kLines});
  Floats expected;
  for (std::int64_t i = 0; i < 6 * kLines; ++i) {
    const auto line = static_cast<float>(i % kLines);
    x.Out().data[i] = line;
    expected.push_back(line * static_cast<float>(3 - i / kLines % 3));
  }
  const Dense<std::int64_t> axis(Shape{}, {1});
  CumSumParams p;
  p.reverse = true;
  EXPECT_TRUE(CumSum(p, x.In(), axis.In(), y.Out()).ok());
  EXPECT_EQ(y.Values(), expected);
}

// Rows are walked eight at a time.
TEST(CumSumTest, EachRowHasASumOfItsOwn) {
  constexpr std::int64_t kRows = 11, kSize = 3;
  Dense<float> x({kRows, kSize}), y({kRows, kSize});
  Floats expected;
  for (std::int64_t i = 0; i < kRows * kSize; ++i) {
    const auto row = static_cast<float>(i / kSize);
    x.Out().data[i] = row;
    expected.push_back(row * static_cast<float>(kSize - 1 - i % kSize));
  }
  const Dense<std::int64_t> axis(Shape{}, {1});
  CumSumParams p;
  p.exclusive = p.reverse = true;
  EXPECT_TRUE(CumSum(p, x.In(), axis.In(), y.Out()).ok());
  EXPECT_EQ(y.Values(), expected);
}

TEST(CumSumTest, RefusesAnAxisOutOfRange) {
  const Dense<float> x({2}, {1, 2});
  const Dense<std::int64_t> axis(Shape{}, {1});
  Dense<float> y({2});
  EXPECT_FALSE(CumSum({}, x.In(), axis.In(), y.Out()).ok());
}

TEST(NonZeroTest, ListsPositionsByColumn) {
  const Dense<float> x({2, 2}, {1, -0.0f, kNaN, 2});
  ASSERT_EQ(NonZeroCount(x.In()), 3);
  Dense<std::int64_t> y({2, 3});
  NonZero(x.In(), y.Out());
  EXPECT_EQ(y.Values(), List({0, 1, 1, 0, 0, 1}));
}

TEST(TriluTest, KeepsATriangle) {
  const Dense<std::uint8_t> x({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Dense<std::int64_t> one(Shape{}, {1}), far(Shape{}, {-50});
  Dense<std::uint8_t> y({3, 3});
  TriluParams lower;
  lower.upper = false;
  Trilu({}, x.In(), {}, y.Out());
  EXPECT_EQ(y.Values(), Bytes({1, 2, 3, 0, 5, 6, 0, 0, 9}));
  Trilu({}, x.In(), one.In(), y.Out());
  EXPECT_EQ(y.Values(), Bytes({0, 2, 3, 0, 0, 6, 0, 0, 0}));
  Trilu(lower, x.In(), one.In(), y.Out());
  EXPECT_EQ(y.Values(), Bytes({1, 2, 0, 4, 5, 6, 7, 8, 9}));
  Trilu(lower, x.In(), far.In(), y.Out());
  EXPECT_EQ(y.Values(), Bytes(9, 0));
}

TEST(EyeLikeTest, PutsOnesOnADiagonal) {
  EyeLikeParams p;
  p.k = -1;
  Dense<float> y({3, 2});
  EyeLike(p, TensorView<const std::uint8_t>{}, y.Out());
  EXPECT_EQ(y.Values(), Floats({0, 0, 1, 0, 0, 1}));
  p.k = 2;
  EyeLike(p, TensorView<const std::uint8_t>{}, y.Out());
  EXPECT_EQ(y.Values(), Floats(6, 0));
}

TEST(RangeTest, CountsAndSteps) {
  Shape shape;
  EXPECT_TRUE(RangeShape<std::int64_t>(10, 4, -2, &shape).ok());
  EXPECT_EQ(shape, Shape({3}));
  EXPECT_TRUE(RangeShape<float>(1, 5, 1.5f, &shape).ok());
  EXPECT_EQ(shape, Shape({3}));
  EXPECT_TRUE(RangeShape<std::int64_t>(1, 1, 1, &shape).ok());
  EXPECT_EQ(shape, Shape({0}));
  const Dense<std::int16_t> start(Shape{}, {10}), delta(Shape{}, {-2});
  Dense<std::int16_t> y({3});
  Range(start.In(), {}, delta.In(), y.Out());
  EXPECT_EQ(y.Values(), std::vector<std::int16_t>({10, 8, 6}));
}

TEST(RangeTest, RefusesStandingStillAndOverflow) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  Shape shape;
  EXPECT_FALSE(RangeShape<std::int64_t>(0, 1, 0, &shape).ok());
  EXPECT_FALSE(RangeShape<std::int64_t>(-kMax, kMax, 1, &shape).ok());
  EXPECT_FALSE(RangeShape<double>(0, 1e300, 1, &shape).ok());
  EXPECT_FALSE(RangeShape<double>(0, kNaN, 1, &shape).ok());
}

TEST(CompressTest, KeepsSlicesOrElements) {
  const Dense<std::uint8_t> x({3, 2}, {1, 2, 3, 4, 5, 6});
  const Dense<bool> condition({2}, {false, true});
  CompressParams p;
  ASSERT_EQ(CompressCount(p, x.In(), condition.In()), 1);
  Dense<std::uint8_t> flat({1}), column({3, 1});
  Compress(p, x.In(), condition.In(), flat.Out());
  EXPECT_EQ(flat.Values(), Bytes({2}));
  p.has_axis = true;
  p.axis = -1;
  Shape shape;
  EXPECT_TRUE(CompressShape(p, {3, 2}, 1, &shape).ok());
  EXPECT_EQ(shape, Shape({3, 1}));
  Compress(p, x.In(), condition.In(), column.Out());
  EXPECT_EQ(column.Values(), Bytes({2, 4, 6}));
}

template <class T>
struct UniqueResults {
  std::vector<T> y;
  List indices, inverse, counts;
};

template <class T>
UniqueResults<T> UniqueOf(const UniqueParams& p, const Dense<T>& x, std::int64_t items) {
  std::vector<char> scratch(UniqueScratchBytes(p, x.In(), {}, {}, {}, {}));
  const std::int64_t count = UniqueCount(p, x.In(), scratch.data());
  Shape shape;
  EXPECT_TRUE(UniqueShape(p, x.In().shape, count, &shape).ok());
  Dense<T> y(shape);
  Dense<std::int64_t> indices({count}), inverse({items}), counts({count});
  Unique(p, x.In(), y.Out(), indices.Out(), inverse.Out(), counts.Out(), scratch.data());
  return {y.Values(), indices.Values(), inverse.Values(), counts.Values()};
}

TEST(UniqueTest, SortsOrKeepsTheOrder) {
  const Dense<float> x({6}, {2, 1, 1, 3, 4, 3});
  UniqueParams p;
  const auto sorted = UniqueOf(p, x, 6);
  EXPECT_EQ(sorted.y, Floats({1, 2, 3, 4}));
  EXPECT_EQ(sorted.indices, List({1, 0, 3, 4}));
  EXPECT_EQ(sorted.inverse, List({1, 0, 0, 2, 3, 2}));
  EXPECT_EQ(sorted.counts, List({2, 1, 2, 1}));
  p.sorted = false;
  const auto unsorted = UniqueOf(p, x, 6);
  EXPECT_EQ(unsorted.y, Floats({2, 1, 3, 4}));
  EXPECT_EQ(unsorted.indices, List({0, 1, 3, 4}));
  EXPECT_EQ(unsorted.inverse, List({0, 1, 1, 2, 3, 2}));
  EXPECT_EQ(unsorted.counts, List({1, 2, 2, 1}));
}

TEST(UniqueTest, ComparesSlices) {
  const Dense<std::int32_t> x({2, 3}, {1, 0, 1, 2, 5, 2});
  UniqueParams p;
  p.has_axis = true;
  p.axis = 1;
  const auto columns = UniqueOf(p, x, 3);
  EXPECT_EQ(columns.y, std::vector<std::int32_t>({0, 1, 5, 2}));
  EXPECT_EQ(columns.inverse, List({1, 0, 1}));
}

TEST(UniqueTest, OrdersStringsAndNaN) {
  const auto strings = UniqueOf(UniqueParams{}, Dense<std::string>({3}, {"b", "a", "b"}), 3);
  EXPECT_EQ(strings.y, std::vector<std::string>({"a", "b"}));
  const auto floats = UniqueOf(UniqueParams{}, Dense<float>({3}, {kNaN, 1, kNaN}), 3);
  EXPECT_EQ(floats.counts, List({1, 2}));
}

}  // namespace
}  // namespace dragoman::rt

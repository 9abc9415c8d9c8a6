// SPDX-License-Identifier: Apache-2.0
// Kernels that gather and scatter by index.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/kernels/gather.h"
#include "runtime/kernels/gather_elements.h"
#include "runtime/kernels/gather_nd.h"
#include "runtime/kernels/one_hot.h"
#include "runtime/kernels/reverse_sequence.h"
#include "runtime/kernels/scatter_elements.h"
#include "runtime/kernels/scatter_nd.h"
#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

TEST(GatherTest, PicksRowsByIndex) {
  const Dense<std::uint8_t> data({2, 3}, {0, 1, 2, 3, 4, 5});
  const Dense<std::int32_t> indices({1, 2}, {-1, 0});
  GatherParams p;
  p.axis = 1;
  Shape shape;
  EXPECT_TRUE(GatherShape(p, {2, 3}, {1, 2}, &shape).ok());
  EXPECT_EQ(shape, Shape({2, 1, 2}));
  Dense<std::uint8_t> y(shape);
  EXPECT_TRUE(Gather(p, data.In(), indices.In(), y.Out()).ok());
  EXPECT_EQ(y.Values(), Bytes({2, 0, 5, 3}));
}

TEST(GatherTest, RefusesAnIndexOutOfRange) {
  const Dense<std::uint8_t> data({3}, {0, 1, 2});
  Dense<std::uint8_t> y({1}), scattered({3});
  for (std::int64_t bad : {std::int64_t{3}, std::int64_t{-4}}) {
    const Dense<std::int64_t> indices({1}, {bad});
    EXPECT_FALSE(Gather({}, data.In(), indices.In(), y.Out()).ok());
    EXPECT_FALSE(GatherElements({}, data.In(), indices.In(), y.Out()).ok());
    EXPECT_FALSE(ScatterElements({}, data.In(), indices.In(), y.In(), scattered.Out()).ok());
  }
}

TEST(GatherElementsTest, ReplacesThePositionOnTheAxis) {
  const Dense<std::uint8_t> data({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Dense<std::int64_t> indices({2, 3}, {1, 2, 0, 2, 0, -3});
  Dense<std::uint8_t> y({2, 3});
  EXPECT_TRUE(GatherElements({}, data.In(), indices.In(), y.Out()).ok());
  EXPECT_EQ(y.Values(), Bytes({4, 8, 3, 7, 2, 3}));
}

// Indices shorter than the data along the other axes.
TEST(GatherElementsTest, TakesAnyAxis) {
  const Shape sizes{3, 4, 5}, taken{2, 3, 4};
  Dense<std::int32_t> data(sizes), y(taken);
  for (int i = 0; i < 60; ++i) data.Out()[i] = i;
  Dense<std::int64_t> indices(taken);
  for (int i = 0; i < 24; ++i) indices.Out()[i] = i % 3 - (i % 2) * 3;
  for (int axis = 0; axis < 3; ++axis) {
    GatherParams p;
    p.axis = axis;
    ASSERT_TRUE(GatherElements(p, data.In(), indices.In(), y.Out()).ok());
    for (int i = 0; i < 24; ++i) {
      std::int64_t at[] = {i / 12, i / 4 % 3, i % 4};
      const std::int64_t index = indices.In()[i];
      at[axis] = index < 0 ? index + sizes[axis] : index;
      EXPECT_EQ(y.Out()[i], (at[0] * 4 + at[1]) * 5 + at[2]) << "axis " << axis;
    }
  }
}

TEST(GatherNdTest, AddressesSlicesPerBatch) {
  const Dense<std::uint8_t> data({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  const Dense<std::int64_t> indices({2, 1}, {1, 0});
  GatherNdParams p;
  p.batch_dims = 1;
  Shape shape;
  EXPECT_TRUE(GatherNdShape(p, {2, 2, 2}, {2, 1}, &shape).ok());
  EXPECT_EQ(shape, Shape({2, 2}));
  Dense<std::uint8_t> y(shape);
  EXPECT_TRUE(GatherND(p, data.In(), indices.In(), y.Out()).ok());
  EXPECT_EQ(y.Values(), Bytes({2, 3, 4, 5}));
  const Dense<std::int64_t> far({2, 1}, {0, 2});
  EXPECT_FALSE(GatherND(p, data.In(), far.In(), y.Out()).ok());
}

TEST(ScatterElementsTest, WritesAlongTheAxis) {
  const Dense<std::uint8_t> data({1, 5}, {1, 2, 3, 4, 5});
  const Dense<std::int64_t> indices({1, 2}, {1, -2});
  const Dense<std::uint8_t> updates({1, 2}, {11, 21});
  ScatterElementsParams p;
  p.axis = 1;
  Dense<std::uint8_t> y({1, 5});
  EXPECT_TRUE(ScatterElements(p, data.In(), indices.In(), updates.In(), y.Out()).ok());
  EXPECT_EQ(y.Values(), Bytes({1, 11, 3, 21, 5}));
}

// Scatters 3 and 5 onto the first of {2, 4}.
Floats Reduced(ScatterReduction reduction, float first, float second) {
  const Dense<float> data({2}, {2, 4});
  const Dense<std::int64_t> indices({2}, {0, 0});
  const Dense<float> updates({2}, {first, second});
  ScatterElementsParams p;
  p.reduction = reduction;
  Dense<float> y({2});
  EXPECT_TRUE(ScatterElements(p, data.In(), indices.In(), updates.In(), y.Out()).ok());
  return y.Values();
}

TEST(ScatterElementsTest, CombinesWithWhatIsThere) {
  EXPECT_EQ(Reduced(ScatterReduction::kNone, 3, 5), Floats({5, 4}));
  EXPECT_EQ(Reduced(ScatterReduction::kAdd, 3, 5), Floats({10, 4}));
  EXPECT_EQ(Reduced(ScatterReduction::kMul, 3, 5), Floats({30, 4}));
  EXPECT_EQ(Reduced(ScatterReduction::kMax, 3, 1), Floats({3, 4}));
  EXPECT_EQ(Reduced(ScatterReduction::kMin, 3, 1), Floats({1, 4}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(Reduced(ScatterReduction::kMax, nan, 1)[0]));
}

TEST(ScatterNdTest, WritesAndReducesSlices) {
  const Dense<Half> data({2, 2}, {Half(1), Half(2), Half(3), Half(4)});
  const Dense<std::int64_t> indices({2, 1}, {1, -1});
  const Dense<Half> updates({2, 2}, {Half(10), Half(20), Half(30), Half(40)});
  ScatterNdParams p;
  p.reduction = ScatterReduction::kAdd;
  Dense<Half> y({2, 2});
  EXPECT_TRUE(ScatterND(p, data.In(), indices.In(), updates.In(), y.Out()).ok());
  EXPECT_EQ(static_cast<float>(y.Values()[1]), 2);
  EXPECT_EQ(static_cast<float>(y.Values()[2]), 43);
  EXPECT_EQ(static_cast<float>(y.Values()[3]), 64);
}

TEST(ScatterTest, ShapeFunctionsRefuseOperandsThatDoNotFit) {
  Shape y;
  EXPECT_TRUE(ScatterElementsShape({}, {2, 3}, {4, 3}, {4, 3}, &y).ok());
  EXPECT_EQ(y, Shape({2, 3}));
  EXPECT_FALSE(ScatterElementsShape({}, {2, 3}, {1, 4}, {1, 4}, &y).ok());
  EXPECT_FALSE(ScatterElementsShape({}, {2, 3}, {1, 3}, {1, 2}, &y).ok());
  EXPECT_FALSE(GatherElementsShape({}, {2, 3}, {2}, &y).ok());
  EXPECT_TRUE(ScatterNdShape({}, {2, 3}, {5, 1}, {5, 3}, &y).ok());
  EXPECT_FALSE(ScatterNdShape({}, {2, 3}, {5, 1}, {5, 2}, &y).ok());
}

TEST(ReverseSequenceTest, ShapeFunctionChecksAxesAndLengths) {
  Shape y;
  EXPECT_TRUE(ReverseSequenceShape({}, {3, 2}, {2}, &y).ok());
  EXPECT_FALSE(ReverseSequenceShape({}, {3, 2}, {3}, &y).ok());
  EXPECT_FALSE(ReverseSequenceShape({}, {3}, {3}, &y).ok());
}

TEST(OneHotTest, LeavesAnIndexOutOfRangeCold) {
  const Dense<float> indices({4}, {1.9f, -1, 3, -4});
  const Dense<std::uint8_t> values({2}, {5, 9});
  const Dense<std::int64_t> depth(Shape{}, {3});
  const std::int64_t three = 3;
  Shape shape;
  EXPECT_TRUE(OneHotShape({}, {4}, {&three, 1}, &shape).ok());
  EXPECT_EQ(shape, Shape({4, 3}));
  Dense<std::uint8_t> y(shape);
  OneHot({}, indices.In(), depth.In(), values.In(), y.Out());
  EXPECT_EQ(y.Values(), Bytes({5, 9, 5, 5, 5, 9, 5, 5, 5, 5, 5, 5}));
}

TEST(OneHotTest, PutsTheNewAxisAnywhere) {
  const Dense<std::int64_t> indices({2}, {0, 1});
  const Dense<std::uint8_t> values({2}, {0, 1});
  OneHotParams p;
  p.axis = 0;
  Dense<std::uint8_t> y({3, 2});
  OneHot(p, indices.In(), indices.In(), values.In(), y.Out());
  EXPECT_EQ(y.Values(), Bytes({1, 0, 0, 1, 0, 0}));
}

TEST(ReverseSequenceTest, ReversesAPrefixPerBatchEntry) {
  const Dense<std::uint8_t> x({3, 2}, {0, 10, 1, 11, 2, 12});
  const Dense<std::int64_t> lens({2}, {3, 2}), far({2}, {4, 0});
  Dense<std::uint8_t> y({3, 2});
  EXPECT_TRUE(ReverseSequence({}, x.In(), lens.In(), y.Out()).ok());
  EXPECT_EQ(y.Values(), Bytes({2, 11, 1, 10, 0, 12}));
  EXPECT_FALSE(ReverseSequence({}, x.In(), far.In(), y.Out()).ok());
}

TEST(ReverseSequenceTest, TakesTimeSecond) {
  const Dense<std::uint8_t> x({2, 3}, {0, 1, 2, 3, 4, 5});
  const Dense<std::int64_t> lens({2}, {1, 3});
  ReverseSequenceParams p;
  p.batch_axis = 0;
  p.time_axis = 1;
  Dense<std::uint8_t> y({2, 3});
  EXPECT_TRUE(ReverseSequence(p, x.In(), lens.In(), y.Out()).ok());
  EXPECT_EQ(y.Values(), Bytes({0, 1, 2, 5, 4, 3}));
}

}  // namespace
}  // namespace dragoman::rt

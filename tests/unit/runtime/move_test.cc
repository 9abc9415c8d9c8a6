// SPDX-License-Identifier: Apache-2.0
// Kernels that move elements without looking at them, and their shape functions.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "runtime/kernels/concat.h"
#include "runtime/kernels/constant_of_shape.h"
#include "runtime/kernels/copy.h"
#include "runtime/kernels/depth_to_space.h"
#include "runtime/kernels/expand.h"
#include "runtime/kernels/shape_of.h"
#include "runtime/kernels/size.h"
#include "runtime/kernels/slice.h"
#include "runtime/kernels/split.h"
#include "runtime/kernels/tile.h"
#include "runtime/kernels/transpose.h"
#include "runtime/params/constant_of_shape.h"
#include "runtime/params/expand.h"
#include "runtime/params/flatten.h"
#include "runtime/params/reshape.h"
#include "runtime/params/squeeze.h"
#include "runtime/params/tile.h"
#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using Bytes = std::vector<std::uint8_t>;
using List = std::vector<std::int64_t>;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

IntSpan Span(const List& list) { return {list.data(), static_cast<std::int64_t>(list.size())}; }

// 0, 1, 2, ... in the given sizes.
Dense<std::uint8_t> Counting(const Shape& shape) {
  Dense<std::uint8_t> x(shape);
  for (int i = 0; i < x.Out().size(); ++i) x.Out()[i] = static_cast<std::uint8_t>(i);
  return x;
}

TEST(ShapeOfTest, ClampsBounds) {
  const auto x = Counting({2, 3, 1});
  Dense<std::int64_t> all({3}), tail({1});
  ShapeOf(ShapeParams{}, x.In(), all.Out());
  EXPECT_EQ(all.Values(), List({2, 3, 1}));
  ShapeParams p;
  p.start = -2;
  p.end = -1;
  ShapeOf(p, x.In(), tail.Out());
  EXPECT_EQ(tail.Values(), List({3}));
  Shape shape;
  p.start = 7;
  EXPECT_TRUE(ShapeOfShape(p, x.In().shape, &shape).ok());
  EXPECT_EQ(shape, Shape({0}));
}

TEST(SizeTest, CountsElements) {
  const auto x = Counting({2, 3, 4});
  Dense<std::int64_t> size(Shape{});
  Size(x.In(), size.Out());
  EXPECT_EQ(size.Values(), List({24}));
}

TEST(CopyTest, CopiesStrings) {
  const Dense<std::string> x({2}, {"a", "longer than the small string buffer"});
  Dense<std::string> y({1, 2});
  Copy(x.In(), y.Out());
  EXPECT_EQ(y.Values(), x.Values());
}

TEST(ReshapeTest, InfersAndCopiesSizes) {
  Shape y;
  EXPECT_TRUE(ReshapeShape({}, {2, 3, 4}, Span({0, -1, 2}), &y).ok());
  EXPECT_EQ(y, Shape({2, 6, 2}));
  EXPECT_TRUE(ReshapeShape({}, {1}, IntSpan{}, &y).ok());
  EXPECT_EQ(y, Shape{});
  ReshapeParams allowzero;
  allowzero.allowzero = true;
  EXPECT_TRUE(ReshapeShape(allowzero, {3, 0}, Span({0, 5}), &y).ok());
  EXPECT_EQ(y, Shape({0, 5}));
}

TEST(ReshapeTest, RefusesWrongShapes) {
  Shape y;
  EXPECT_FALSE(ReshapeShape({}, {6}, Span({4}), &y).ok());
  EXPECT_FALSE(ReshapeShape({}, {6}, Span({-1, 4}), &y).ok());
  EXPECT_FALSE(ReshapeShape({}, {6}, Span({-1, -1}), &y).ok());
  EXPECT_FALSE(ReshapeShape({}, {6}, Span({-2, 3}), &y).ok());
  EXPECT_FALSE(ReshapeShape({}, {6}, Span({6, 0}), &y).ok());
  EXPECT_FALSE(ReshapeShape({}, {6}, Span({kHuge, 4}), &y).ok());
}

TEST(FlattenTest, SplitsSizesAtTheAxis) {
  Shape y;
  FlattenParams p;
  p.axis = -1;
  EXPECT_TRUE(FlattenShape(p, {2, 3, 4}, &y).ok());
  EXPECT_EQ(y, Shape({6, 4}));
  p.axis = 3;
  EXPECT_TRUE(FlattenShape(p, {2, 3, 4}, &y).ok());
  EXPECT_EQ(y, Shape({24, 1}));
  p.axis = 4;
  EXPECT_FALSE(FlattenShape(p, {2, 3, 4}, &y).ok());
}

TEST(SqueezeTest, RemovesAndInsertsAxes) {
  Shape y;
  EXPECT_TRUE(SqueezeShape({1, 3, 1}, IntSpan{}, &y).ok());
  EXPECT_EQ(y, Shape({3}));
  EXPECT_TRUE(SqueezeShape({1, 3, 1}, Span({-1}), &y).ok());
  EXPECT_EQ(y, Shape({1, 3}));
  EXPECT_FALSE(SqueezeShape({1, 3, 1}, Span({1}), &y).ok());
  EXPECT_TRUE(UnsqueezeShape({3}, Span({-1, 0}), &y).ok());
  EXPECT_EQ(y, Shape({1, 3, 1}));
  EXPECT_FALSE(UnsqueezeShape({3}, Span({0, -3}), &y).ok());
}

TEST(TransposeTest, PermutesAxes) {
  const auto x = Counting({2, 3, 2});
  TransposeParams p;
  p.perm = {1, 0, 2};
  Dense<std::uint8_t> y({3, 2, 2});
  Transpose(p, x.In(), y.Out());
  EXPECT_EQ(y.Values(), Bytes({0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}));
}

TEST(TransposeTest, ReversesWithoutPerm) {
  const auto x = Counting({2, 3});
  Shape shape;
  EXPECT_TRUE(TransposeShape({}, {2, 3}, &shape).ok());
  EXPECT_EQ(shape, Shape({3, 2}));
  Dense<std::uint8_t> y(shape);
  Transpose({}, x.In(), y.Out());
  EXPECT_EQ(y.Values(), Bytes({0, 3, 1, 4, 2, 5}));
  TransposeParams twice;
  twice.perm = {1, 1};
  EXPECT_FALSE(TransposeShape(twice, {2, 3}, &shape).ok());
}

// x, whose elements count from 0, has axis perm[i] as axis i, as its definition says.
void ExpectTransposed(const Shape& from, const Ints& perm) {
  const Shape strides = Strides(from);
  Dense<std::uint32_t> x(from);
  for (std::int64_t i = 0; i < x.Out().size(); ++i) x.Out()[i] = static_cast<std::uint32_t>(i);
  TransposeParams p;
  p.perm = perm;
  Dense<std::uint32_t> y({from[perm[0]], from[perm[1]], from[perm[2]]});
  Transpose(p, x.In(), y.Out());
  std::vector<std::uint32_t> expected;
  for (std::int64_t i = 0; i < from[perm[0]]; ++i) {
    for (std::int64_t j = 0; j < from[perm[1]]; ++j) {
      for (std::int64_t k = 0; k < from[perm[2]]; ++k) {
        expected.push_back(static_cast<std::uint32_t>(i * strides[perm[0]] + j * strides[perm[1]] +
                                                      k * strides[perm[2]]));
      }
    }
  }
  EXPECT_EQ(y.Values(), expected);
}

// Long enough for tiles, whole ones and others.
TEST(TransposeTest, MovesLongAxesByTiles) {
  for (const Ints& perm : {Ints{0, 2, 1}, Ints{2, 1, 0}, Ints{2, 0, 1}, Ints{1, 2, 0}})
    ExpectTransposed({3, 19, 37}, perm);
}

// As the channels of images and the pixels of a shuffle are.
TEST(TransposeTest, InterleavesAFewLongRows) {
  for (const std::int64_t rows : {2, 3, 4, 5}) {
    for (const std::int64_t length : {15, 16, 37}) {
      ExpectTransposed({3, rows, length}, {0, 2, 1});
      ExpectTransposed({rows, 3, length}, {1, 2, 0});
    }
  }
}

TEST(ExpandTest, BroadcastsBothWays) {
  Shape shape;
  EXPECT_TRUE(ExpandShape({3, 1}, Span({2, 1, 2}), &shape).ok());
  EXPECT_EQ(shape, Shape({2, 3, 2}));
  const auto x = Counting({3, 1});
  Dense<std::uint8_t> y(shape);
  Expand(x.In(), {}, y.Out());
  EXPECT_EQ(y.Values(), Bytes({0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
  EXPECT_FALSE(ExpandShape({3}, Span({2}), &shape).ok());
}

TEST(TileTest, RepeatsAlongEveryAxis) {
  Shape shape;
  EXPECT_TRUE(TileShape({2, 2}, Span({1, 2}), &shape).ok());
  const auto x = Counting({2, 2});
  Dense<std::uint8_t> y(shape);
  Tile(x.In(), {}, y.Out());
  EXPECT_EQ(y.Values(), Bytes({0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_FALSE(TileShape({2, 2}, Span({kHuge, 2}), &shape).ok());
}

// The slice of `x` computed by SliceShape and Slice.
Bytes Sliced(const Dense<std::uint8_t>& x, const Dense<std::int64_t>& starts,
             const Dense<std::int64_t>& ends, const Dense<std::int64_t>& axes,
             const Dense<std::int64_t>& steps) {
  Shape shape;
  EXPECT_TRUE(SliceShape(x.In().shape, Span(starts.Values()), Span(ends.Values()),
                         Span(axes.Values()), Span(steps.Values()), &shape)
                  .ok());
  Dense<std::uint8_t> y(shape);
  EXPECT_TRUE(Slice(x.In(), starts.In(), ends.In(), axes.In(), steps.In(), y.Out()).ok());
  return y.Values();
}

TEST(SliceTest, StepsBothWaysAndClamps) {
  const auto x = Counting({2, 5});
  const auto along = [&](std::int64_t start, std::int64_t end, std::int64_t step) {
    return Sliced(x, {{1}, {start}}, {{1}, {end}}, {{1}, {-1}}, {{1}, {step}});
  };
  EXPECT_EQ(along(1, 4, 2), Bytes({1, 3, 6, 8}));
  EXPECT_EQ(along(-2, kHuge, 1), Bytes({3, 4, 8, 9}));
  EXPECT_EQ(along(kHuge, kLowest, -2), Bytes({4, 2, 0, 9, 7, 5}));
  EXPECT_EQ(along(3, 0, -1), Bytes({3, 2, 1, 8, 7, 6}));
  EXPECT_EQ(along(0, 5, kHuge), Bytes({0, 5}));
  EXPECT_EQ(along(4, kLowest, kLowest), Bytes({4, 9}));
  EXPECT_EQ(along(4, 1, 1), Bytes({}));
}

TEST(SliceTest, RefusesWrongOperands) {
  Shape shape;
  const List zero = {0}, one = {1}, two = {0, 0}, far = {2};
  EXPECT_FALSE(SliceShape({2}, Span(zero), Span(one), {}, Span(zero), &shape).ok());
  EXPECT_FALSE(SliceShape({2}, Span(zero), Span(two), {}, {}, &shape).ok());
  EXPECT_FALSE(SliceShape({2}, Span(zero), Span(one), Span(far), {}, &shape).ok());
}

TEST(ConcatTest, JoinsAlongAnAxis) {
  ConcatParams p;
  p.axis = -1;
  const Dense<std::uint8_t> a({2, 1}, {1, 2}), b({2, 2}, {3, 4, 5, 6});
  const TensorView<const std::uint8_t> views[] = {a.In(), b.In()};
  const Shape shapes[] = {{2, 1}, {2, 2}};
  Shape shape;
  EXPECT_TRUE(ConcatShape(p, shapes, 2, &shape).ok());
  Dense<std::uint8_t> y(shape);
  Concat(p, Views<const std::uint8_t>{views, 2}, y.Out());
  EXPECT_EQ(y.Values(), Bytes({1, 3, 4, 2, 5, 6}));
  p.axis = 0;
  EXPECT_FALSE(ConcatShape(p, shapes, 2, &shape).ok());
}

TEST(ConcatTest, PassesOverWhatHasNoElementsAlongTheAxis) {
  ConcatParams p;
  Shape shape;
  const Shape first[] = {{0, 7}, {2, 3}, {0}, {1, 3}};
  EXPECT_FALSE(ConcatShape(p, first, 4, &shape).ok());  // another rank
  const Shape between[] = {{2, 3}, {0, 7}, {1, 3}};
  ASSERT_TRUE(ConcatShape(p, between, 3, &shape).ok());
  EXPECT_EQ(shape, (Shape{3, 3}));
  const Shape all[] = {{0, 7}, {0, 3}};
  ASSERT_TRUE(ConcatShape(p, all, 2, &shape).ok());
  EXPECT_EQ(shape, (Shape{0, 7}));
  const Shape other[] = {{0, 7}, {2, 3}, {1, 4}};
  EXPECT_FALSE(ConcatShape(p, other, 3, &shape).ok());
}

TEST(SplitTest, MakesTheLastPartSmaller) {
  SplitParams p;
  p.axis = 1;
  Shape shapes[2];
  EXPECT_TRUE(SplitShape(p, {2, 3}, {}, shapes, 2).ok());
  const auto x = Counting({2, 3});
  Dense<std::uint8_t> a(shapes[0]), b(shapes[1]);
  const TensorView<std::uint8_t> views[] = {a.Out(), b.Out()};
  Split(p, x.In(), {}, Views<std::uint8_t>{views, 2});
  EXPECT_EQ(a.Values(), Bytes({0, 1, 3, 4}));
  EXPECT_EQ(b.Values(), Bytes({2, 5}));
  EXPECT_TRUE(SplitShape(p, {2, 3}, Span({0, 3}), shapes, 2).ok());
  EXPECT_EQ(shapes[0], Shape({2, 0}));
  EXPECT_FALSE(SplitShape(p, {2, 3}, Span({1, 1}), shapes, 2).ok());
}

TEST(DepthToSpaceTest, OrdersBlocksByMode) {
  const auto x = Counting({1, 8, 1, 1});
  DepthToSpaceParams p;
  p.blocksize = 2;
  Shape shape;
  EXPECT_TRUE(DepthToSpaceShape(p, x.In().shape, &shape).ok());
  EXPECT_EQ(shape, Shape({1, 2, 2, 2}));
  Dense<std::uint8_t> y(shape);
  DepthToSpace(p, x.In(), y.Out());
  EXPECT_EQ(y.Values(), Bytes({0, 2, 4, 6, 1, 3, 5, 7}));
  p.mode = DepthToSpaceMode::kCrd;
  DepthToSpace(p, x.In(), y.Out());
  EXPECT_EQ(y.Values(), Bytes({0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(SpaceToDepthTest, UndoesDepthToSpace) {
  const auto x = Counting({2, 8, 3, 2});
  DepthToSpaceParams p;
  p.blocksize = 2;
  SpaceToDepthParams back;
  back.blocksize = 2;
  Dense<std::uint8_t> y({2, 2, 6, 4}), z({2, 8, 3, 2});
  DepthToSpace(p, x.In(), y.Out());
  SpaceToDepth(back, y.In(), z.Out());
  EXPECT_EQ(z.Values(), x.Values());
}

TEST(ConstantOfShapeTest, FillsWithTheBitsOfTheValue) {
  Shape shape;
  ConstantOfShapeParams p;
  EXPECT_TRUE(ConstantOfShapeShape(p, Span({2}), &shape).ok());
  Dense<std::uint8_t> y(shape);
  p.bits = 7;
  ConstantOfShape(p, {}, y.Out());
  EXPECT_EQ(y.Values(), Bytes({7, 7}));
  EXPECT_FALSE(ConstantOfShapeShape(p, Span({-1}), &shape).ok());
}

}  // namespace
}  // namespace dragoman::rt

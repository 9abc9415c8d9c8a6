// SPDX-License-Identifier: Apache-2.0
// Operators for sizes known only at run time, against the plain kernels: several sizes in turn,
// more of them than are kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/fast/dynamic_conv.h"
#include "runtime/fast/dynamic_pool.h"
#include "runtime/fast/dynamic_product.h"
#include "runtime/fast/threads.h"
#include "runtime/kernels/conv.h"
#include "runtime/kernels/conv_transpose.h"
#include "runtime/kernels/linear.h"
#include "runtime/kernels/mat_mul.h"
#include "runtime/kernels/max_pool.h"
#include "tests/unit/runtime/dense.h"
#include "tests/unit/runtime/prepared_test.h"

namespace dragoman::rt {
namespace {

class DynamicOperatorsTest : public PreparedTest {
 protected:
  Dense<float> Draw(const Shape& shape) { return {shape, PreparedTest::Draw(shape)}; }
};

void ExpectNear(const std::vector<float>& found, const std::vector<float>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], 1e-4f) << "element " << i;
}

TEST_F(DynamicOperatorsTest, ConvolutionsOfManySizesInTurn) {
  Memory scratch;
  DynamicConv conv;
  ConvParams p;
  p.pads = {1, 1, 1, 1};
  const Dense<float> w = Draw({5, 3, 3, 3}), b = Draw({5});
  ASSERT_TRUE(conv.Init(context_, p, w.In().shape, w.In().data, b.In().data, {}).ok());
  for (const std::int64_t size : {4, 9, 4, 5, 6, 7, 8, 4, 9, 0}) {
    const Dense<float> x = Draw({2, 3, size, 4});
    Dense<float> expected({2, 5, size, 4}), y({2, 5, size, 4});
    Conv<float>(p, x.In(), w.In(), b.In(), expected.Out());
    ASSERT_TRUE(conv.Run(x.In(), nullptr, y.Out(), scratch).ok());
    ExpectNear(y.Values(), expected.Values());
  }
}

// Between two convolutions tensors lie as the first wants, which the first call decides.
TEST_F(DynamicOperatorsTest, ConvolutionsAndPoolsInBlocks) {
  Memory scratch, between, pooled;
  ConvParams first, second;
  first.pads = {1, 1, 1, 1};
  MaxPoolParams pool;
  pool.kernel_shape = {3, 2};
  pool.strides = {2, 2};
  const Dense<float> w1 = Draw({24, 3, 3, 3}), w2 = Draw({5, 24, 1, 1}), b = Draw({24});
  PostOps relu;
  relu.activation = FusedActivation::kRelu;
  DynamicConv conv1, conv2;
  DynamicPool<MaxPoolParams> halve;
  ASSERT_TRUE(conv1.Init(context_, first, w1.In().shape, w1.In().data, b.In().data, relu).ok());
  ASSERT_TRUE(halve.Init(context_, pool).ok());
  ASSERT_TRUE(conv2.Init(context_, second, w2.In().shape, w2.In().data, nullptr, {}).ok());
  std::int64_t block = 0;
  for (const std::int64_t batch : {2, 0, 1, 3}) {
    const Shape wide = {batch, 24, 9, 8}, small = {batch, 24, 4, 4};
    const Dense<float> x = Draw({batch, 3, 9, 8});
    Dense<float> plain(wide), plain_pooled(small), expected({batch, 5, 4, 4}), y({batch, 5, 4, 4});
    Conv<float>(first, x.In(), w1.In(), b.In(), plain.Out());
    for (std::int64_t i = 0; i < plain.Out().size(); ++i)
      plain.Out().data[i] = std::max(plain.Out().data[i], 0.0f);
    MaxPool<float>(pool, plain.In(), plain_pooled.Out(), {});
    Conv<float>(second, plain_pooled.In(), w2.In(), {}, expected.Out());
    TensorView<float> t1, t2;
    ASSERT_TRUE(between.PlaceInBlocks(kMaxBlock, wide, &t1).ok());
    ASSERT_TRUE(pooled.PlaceInBlocks(kMaxBlock, small, &t2).ok());
    ASSERT_TRUE(conv1.Run(x.In(), nullptr, t1, scratch, {kRowMajor, &block}).ok());
    EXPECT_NE(block, 0);
    ASSERT_TRUE(halve.Run(t1, t2, scratch, {block, &block}).ok());
    ASSERT_TRUE(conv2.Run(t2, nullptr, y.Out(), scratch, {block, nullptr}).ok());
    ExpectNear(y.Values(), expected.Values());
  }
}

TEST_F(DynamicOperatorsTest, TransposedConvolutionsOfManySizesInTurn) {
  Memory scratch;
  DynamicConvTranspose conv;
  ConvTransposeParams p;
  p.strides = {2, 2};
  const Dense<float> w = Draw({3, 5, 2, 2}), b = Draw({5});
  ASSERT_TRUE(conv.Init(context_, p, w.In().shape, w.In().data, b.In().data, {}).ok());
  for (const std::int64_t size : {4, 9, 4, 0, 1}) {
    const Dense<float> x = Draw({2, 3, size, 4});
    Dense<float> expected({2, 5, 2 * size, 8}), y({2, 5, 2 * size, 8});
    std::vector<char> plain_scratch(static_cast<std::size_t>(
        ConvTransposeScratchBytes<float>(p, x.In(), w.In(), b.In(), expected.Out())));
    ConvTranspose<float>(p, x.In(), w.In(), b.In(), expected.Out(), plain_scratch.data());
    ASSERT_TRUE(conv.Run(x.In(), nullptr, y.Out(), scratch).ok());
    ExpectNear(y.Values(), expected.Values());
  }
}

TEST_F(DynamicOperatorsTest, ProductsOfManySizesInTurn) {
  const Dense<float> w = Draw({7, 33}), b = Draw({7});
  for (const std::int64_t rows : {1, 12, 3, 0, 64}) {
    const Dense<float> x = Draw({2, rows, 33});
    Dense<float> expected({2, rows, 7}), y({2, rows, 7});
    for (const TensorView<const float>& bias : {b.In(), TensorView<const float>()}) {
      Linear<float>(x.In(), w.In(), bias, expected.Out());
      ASSERT_TRUE(DynamicLinear(x.In(), w.In(), bias, y.Out()).ok());
      ExpectNear(y.Values(), expected.Values());
    }
    const Dense<float> right = Draw({33, 5});
    Dense<float> expected_product({2, rows, 5}), product({2, rows, 5});
    MatMul<float>(x.In(), right.In(), expected_product.Out());
    ASSERT_TRUE(DynamicMatMul(x.In(), right.In(), product.Out()).ok());
    ExpectNear(product.Values(), expected_product.Values());
  }
}

TEST_F(DynamicOperatorsTest, VectorsAreRowsAndColumns) {
  const Dense<float> row = Draw({6}), matrices = Draw({3, 6, 2}), column = Draw({2});
  Dense<float> expected({3, 2}), y({3, 2});
  MatMul<float>(row.In(), matrices.In(), expected.Out());
  ASSERT_TRUE(DynamicMatMul(row.In(), matrices.In(), y.Out()).ok());
  ExpectNear(y.Values(), expected.Values());
  Dense<float> expected_columns({3, 6}), columns({3, 6});
  MatMul<float>(matrices.In(), column.In(), expected_columns.Out());
  ASSERT_TRUE(DynamicMatMul(matrices.In(), column.In(), columns.Out()).ok());
  ExpectNear(columns.Values(), expected_columns.Values());
}

TEST(ShapeCacheTest, TheOneThatWasUsedLongestAgoGoes) {
  ShapeCache<int, 2> cache;
  cache.Insert({1}, 10);
  cache.Insert({2}, 20);
  EXPECT_EQ(*cache.Find({1}), 10);
  cache.Insert({3}, 30);
  EXPECT_EQ(cache.Find({2}), nullptr);
  EXPECT_EQ(*cache.Find({1}), 10);
  EXPECT_EQ(*cache.Find({3}), 30);
}

TEST(ThreadsTest, AsManyAsWereSet) {
  SetThreads(3);
  EXPECT_EQ(MaxThreads(), 3);
  SetThreads(0);  // at least one
  EXPECT_EQ(MaxThreads(), 1);
}

}  // namespace
}  // namespace dragoman::rt

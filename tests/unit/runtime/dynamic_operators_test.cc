// SPDX-License-Identifier: Apache-2.0
// Operators for sizes known only at run time, against the plain kernels: several sizes in turn,
// more of them than are kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "runtime/fast/computed_conv.h"
#include "runtime/fast/dynamic_conv.h"
#include "runtime/fast/dynamic_conv_transpose.h"
#include "runtime/fast/dynamic_pool.h"
#include "runtime/fast/dynamic_product.h"
#include "runtime/fast/packed_linear.h"
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
    ASSERT_NEAR(found[i], expected[i], 1e-4f * std::max(1.0f, std::fabs(expected[i])))
        << "element " << i;
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

// Images, sequences and groups; other weights in the same memory in each call.
TEST_F(DynamicOperatorsTest, ConvolutionsByComputedWeights) {
  struct Case {
    Shape x, w;
    std::int64_t group;
  };
  for (const Case& c :
       {Case{{1, 32, 9, 8}, {40, 32, 3, 3}, 1}, Case{{2, 6, 11}, {4, 3, 5}, 2},
        Case{{1, 16, 7, 7}, {16, 1, 5, 5}, 16}, Case{{1, 2, 4, 4}, {3, 2, 4, 4}, 1}}) {
    Memory scratch;
    ConvParams p;
    p.group = c.group;
    ComputedConv conv;
    ASSERT_TRUE(conv.Init(context_, p).ok());
    Shape sizes;
    ASSERT_TRUE(ConvShape(p, c.x, c.w, &sizes).ok());
    Dense<float> w(c.w);
    for (const bool has_bias : {false, true, true}) {
      const Dense<float> x = Draw(c.x), b = Draw({c.w[0]}), drawn = Draw(c.w);
      const std::vector<float> weights = drawn.Values();
      std::copy(weights.begin(), weights.end(), w.Out().data);
      const TensorView<const float> bias = has_bias ? b.In() : TensorView<const float>();
      Dense<float> expected(sizes), y(sizes);
      Conv<float>(p, x.In(), w.In(), bias, expected.Out());
      ASSERT_TRUE(conv.Run(x.In(), w.In(), bias, y.Out(), scratch).ok());
      ExpectNear(y.Values(), expected.Values());
    }
  }
}

// It reaches the results that read it, and no others of its channel.
TEST_F(DynamicOperatorsTest, AnInfiniteWeightThatIsComputed) {
  Memory scratch;
  ConvParams p;
  p.pads = {1, 1, 1, 1};
  ComputedConv conv;
  ASSERT_TRUE(conv.Init(context_, p).ok());
  const Shape sizes = {1, 16, 20, 20};
  const Dense<float> x = Draw(sizes);
  Dense<float> w = Draw({16, 16, 3, 3}), expected(sizes), y(sizes);
  w.Out().data[(3 * 16 + 2) * 9 + 4] = std::numeric_limits<float>::infinity();
  Conv<float>(p, x.In(), w.In(), {}, expected.Out());
  ASSERT_TRUE(conv.Run(x.In(), w.In(), {}, y.Out(), scratch).ok());
  const std::vector<float> found = y.Values(), wanted = expected.Values();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isfinite(wanted[i])) {
      EXPECT_NEAR(found[i], wanted[i], 1e-4) << i;
    } else {
      EXPECT_EQ(found[i], wanted[i]) << i;
    }
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

// Images of several slabs, of 1 to 3 axes, by what is packed once: growing, shrinking, empty.
TEST_F(DynamicOperatorsTest, TransposedConvolutionsOfAnyWindowOfManySizesInTurn) {
  for (int n = 0; n < 36; ++n) {
    const int rank = n % 3 + 1;
    ConvTransposeParams p;
    p.group = n % 4 == 1 ? Pick(2, 5) : 1;
    // Channels of several blocks, and of whole ones.
    const std::int64_t channels = n % 9 == 0 ? 300 : n % 9 == 1 ? 256 : Pick(1, 20);
    Shape w = {p.group * channels, channels > 20 ? Pick(1, 3) : Pick(1, 40)};
    for (int i = 0; i < rank; ++i) {
      p.strides.push_back(n % 7 == 6 ? 8 : Pick(1, 4));
      p.dilations.push_back(Pick(1, 2));
      p.output_padding.push_back(Pick(0, 1));
      w.push_back(Pick(1, rank == 3 ? 3 : 5));
    }
    for (int i = 0; i < 2 * rank; ++i) p.pads.push_back(Pick(0, 1));
    // A result that is larger than what the taps reach has the bias alone at its end.
    if (n % 5 == 0) p.auto_pad = n % 2 == 0 ? AutoPad::kSameUpper : AutoPad::kSameLower;
    if (p.auto_pad != AutoPad::kNotSet) p.pads = {};
    const Dense<float> weights = Draw(w), b = Draw({p.group * w[1]});
    PostOps relu;
    relu.residual = n % 2 == 0;
    relu.activation = FusedActivation::kRelu;
    SetThreads(n % 4 == 3 ? 2 : 1);
    Memory scratch;
    DynamicConvTranspose conv;
    ASSERT_TRUE(conv.Init(context_, p, w, weights.In().data, b.In().data, relu).ok());
    for (const std::int64_t size : {4, 150, 4, 0, 1, 40}) {
      Shape x_shape = {size == 0 ? 0 : Pick(1, 2), w[0], std::max<std::int64_t>(size, 1)};
      for (int i = 1; i < rank; ++i) x_shape.push_back(Pick(1, 9));
      Shape y_shape;
      if (!ConvTransposeShape(p, x_shape, w, &y_shape).ok()) continue;
      const Dense<float> x = Draw(x_shape), residual = Draw(y_shape);
      Dense<float> expected(y_shape), y(y_shape);
      std::vector<char> plain_scratch(static_cast<std::size_t>(
          ConvTransposeScratchBytes<float>(p, x.In(), weights.In(), b.In(), expected.Out())));
      ConvTranspose<float>(p, x.In(), weights.In(), b.In(), expected.Out(), plain_scratch.data());
      for (std::int64_t i = 0; i < expected.Out().size(); ++i) {
        float& value = expected.Out().data[i];
        value = std::max(value + (relu.residual ? residual.In().data[i] : 0.0f), 0.0f);
      }
      ASSERT_TRUE(conv.Run(x.In(), residual.In().data, y.Out(), scratch).ok());
      ExpectNear(y.Values(), expected.Values());
    }
    SetThreads(1);
  }
}

// Weights are packed once, whatever the rows.
TEST_F(DynamicOperatorsTest, PackedProductsOfManySizesInTurn) {
  for (const auto& [in, out] : {std::pair<std::int64_t, std::int64_t>{33, 7}, {600, 300}, {5, 1}}) {
    for (const bool in_first : {false, true}) {
      const Dense<float> w = Draw({out, in}), b = Draw({out});
      Dense<float> turned({in, out});
      for (std::int64_t i = 0; i < in * out; ++i)
        turned.Out().data[i % in * out + i / in] = w.In().data[i];
      PostOps post;
      post.residual = true;
      post.activation_first = in_first;
      post.activation = FusedActivation::kRelu;
      Memory scratch;
      PackedLinear linear, plain;
      const float* const weights = in_first ? turned.In().data : w.In().data;
      ASSERT_TRUE(linear.Init(context_, in, out, in_first, weights, b.In().data, post).ok());
      ASSERT_TRUE(plain.Init(context_, in, out, in_first, weights, nullptr, {}).ok());
      for (const std::int64_t rows : {1, 12, 2, 0, 300, 3, 1}) {
        const Dense<float> x = Draw({rows, 1, in}), residual = Draw({rows, 1, out});
        Dense<float> expected({rows, 1, out}), y({rows, 1, out});
        Linear<float>(x.In(), w.In(), {}, expected.Out());
        ASSERT_TRUE(plain.Run(x.In(), nullptr, y.Out(), scratch).ok());
        ExpectNear(y.Values(), expected.Values());
        Linear<float>(x.In(), w.In(), b.In(), expected.Out());
        for (std::int64_t i = 0; i < expected.Out().size(); ++i) {
          float& value = expected.Out().data[i];
          const float added = residual.In().data[i];
          value = in_first ? std::max(value, 0.0f) + added : std::max(value + added, 0.0f);
        }
        ASSERT_TRUE(linear.Run(x.In(), residual.In().data, y.Out(), scratch).ok());
        ExpectNear(y.Values(), expected.Values());
      }
    }
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

// SPDX-License-Identifier: Apache-2.0
// The prepared operators over oneDNN against the plain kernels, on drawn shapes and attributes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/fast/conv.h"
#include "runtime/fast/conv_transpose.h"
#include "runtime/fast/few_outputs.h"
#include "runtime/fast/layout.h"
#include "runtime/fast/linear.h"
#include "runtime/fast/mat_mul.h"
#include "runtime/fast/pool.h"
#include "runtime/kernels/average_pool.h"
#include "runtime/kernels/conv.h"
#include "runtime/kernels/conv_transpose.h"
#include "runtime/kernels/linear.h"
#include "runtime/kernels/mat_mul.h"
#include "runtime/kernels/max_pool.h"
#include "tests/unit/runtime/prepared_test.h"

namespace dragoman::rt {
namespace {

class FastOperatorsTest : public PreparedTest {
 protected:
  Ints PickEach(int count, std::int64_t low, std::int64_t high) {
    Ints ints;
    for (int i = 0; i < count; ++i) ints.push_back(Pick(low, high));
    return ints;
  }

  // Any of the post-ops, with or without residual.
  PostOps PickPostOps() {
    PostOps post;
    post.residual = Pick(0, 1) == 1;
    post.activation_first = Pick(0, 1) == 1;
    post.activation = static_cast<FusedActivation>(Pick(0, 9));
    post.alpha = -0.25f;
    post.beta = 0.75f;
    return post;
  }
  AutoPad PickAutoPad() { return static_cast<AutoPad>(Pick(0, 3)); }
  // N, channels, 1 to 3 spatial sizes.
  Shape PickImage(std::int64_t channels) {
    Shape shape{Pick(1, 3), channels};
    for (std::int64_t i = Pick(1, 3); i > 0; --i) shape.push_back(Pick(4, 11));
    return shape;
  }
};

float Apply(const PostOps& post, float x) {
  switch (post.activation) {
    case FusedActivation::kNone:
      return x;
    case FusedActivation::kRelu:
      return std::max(x, 0.0f);
    case FusedActivation::kClip:
      return std::clamp(x, post.alpha, post.beta);
    case FusedActivation::kSigmoid:
      return 1.0f / (1.0f + std::exp(-x));
    case FusedActivation::kTanh:
      return std::tanh(x);
    case FusedActivation::kGelu:
      return 0.5f * x * (1.0f + std::erf(x / std::sqrt(2.0f)));
    case FusedActivation::kGeluTanh:
      return 0.5f * x * (1.0f + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
    case FusedActivation::kHardSwish:
      return x * std::clamp(x + 3.0f, 0.0f, 6.0f) / 6.0f;
    case FusedActivation::kSwish:
      return x / (1.0f + std::exp(-x));
    case FusedActivation::kHardSigmoid:
      return std::clamp(post.alpha * x + post.beta, 0.0f, 1.0f);
  }
  return x;
}

// `expected` as the plain kernel left it.
void ExpectNear(std::vector<float> expected, const std::vector<float>& actual, const PostOps& post,
                const std::vector<float>& residual) {
  ASSERT_EQ(expected.size(), actual.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const float added = post.residual ? residual[i] : 0.0f;
    const float value =
        post.activation_first ? Apply(post, expected[i]) + added : Apply(post, expected[i] + added);
    ASSERT_NEAR(value, actual[i], 2e-5f * (1.0f + std::fabs(value)))
        << "element " << i << ", " << Name(post.activation);
  }
}

class PreparedConvTest : public FastOperatorsTest {
 protected:
  // (N, C, spatial...) with the channels in blocks, the last of which zeros fill.
  static std::vector<float> InBlocks(const std::vector<float>& rows, const Shape& shape,
                                     std::int64_t block) {
    const BlockedSizes sizes(shape, block);
    std::vector<float> blocks(static_cast<std::size_t>(sizes.size()));
    for (std::int64_t i = 0; i < NumElements(shape); ++i) {
      const std::int64_t plane = i / sizes.spatial, image = plane / sizes.channels,
                         channel = plane % sizes.channels;
      const std::int64_t line =
          (image * sizes.channel_blocks + channel / block) * sizes.spatial + i % sizes.spatial;
      blocks[static_cast<std::size_t>(line * block + channel % block)] =
          rows[static_cast<std::size_t>(i)];
    }
    return blocks;
  }

  // With any post-ops, with or without bias.
  void CheckConv(const ConvParams& p, const Shape& x, const Shape& w, const Shape& y) {
    ASSERT_TRUE(PreparedConv::Supports(p, x, w));
    const bool has_bias = Pick(0, 1) == 1;
    const PostOps post = PickPostOps();
    const std::vector<float> dx = Draw(x), dw = Draw(w), db = Draw(w[0]), residual = Draw(y);
    std::vector<float> plain(residual.size()), fast(residual.size());
    const TensorView<const float> bias{has_bias ? db.data() : nullptr, {w[0]}};
    Conv<float>(p, {dx.data(), x}, {dw.data(), w}, bias, {plain.data(), y});
    PreparedConv conv;
    ASSERT_TRUE(conv.Init(context_, p, x, w, dw.data(), bias.data, post, {}, {},
                          ConvMethod::kFastest, &MakeFewOutputs)
                    .ok());
    ASSERT_TRUE(
        conv.Run(dx.data(), residual.data(), fast.data(), Scratch(conv.ScratchBytes())).ok());
    ExpectNear(plain, fast, post, residual);
  }
};

TEST_F(PreparedConvTest, IsThePlainKernel) {
  int checked = 0;
  for (int n = 0; n < 300; ++n) {
    ConvParams p;
    p.group = Pick(1, 4);
    const Shape x = PickImage(p.group * Pick(1, 5));
    const int rank = x.size() - 2;
    p.auto_pad = PickAutoPad();
    p.strides = PickEach(rank, 1, 3);
    p.dilations = PickEach(rank, 1, 2);
    p.pads = PickEach(2 * rank, 0, 2);
    Shape w{p.group * Pick(1, 6), x[1] / p.group};
    for (int i = 0; i < rank; ++i) w.push_back(Pick(1, 3));
    Shape y;
    if (!ConvShape(p, x, w, &y).ok()) continue;
    CheckConv(p, x, w, y);
    ++checked;
  }
  EXPECT_GT(checked, 200);
}

// Dilated windows, with pads before (causal) or on both sides.
TEST_F(PreparedConvTest, WithLongPadsIsThePlainKernel) {
  for (const int rank : {1, 2, 3}) {
    for (const std::int64_t dilation : {2, 7, 12}) {
      ConvParams p;
      Shape x{1, 16}, w{20, 16};
      for (int i = 0; i < rank; ++i) {
        x.push_back(9 + 2 * i);
        w.push_back(3);
        p.dilations.push_back(dilation);
      }
      const bool causal = Pick(0, 1) == 1;
      p.pads.resize(2 * rank);
      for (int i = 0; i < rank; ++i) {
        p.pads[i] = causal ? 2 * dilation : dilation;
        p.pads[rank + i] = causal ? 0 : dilation;
      }
      Shape y;
      ASSERT_TRUE(ConvShape(p, x, w, &y).ok());
      CheckConv(p, x, w, y);
    }
  }
}

// More channels than are multiplied at a time; some taps, or all, read padding alone.
TEST_F(PreparedConvTest, WhoseTapsReadPaddingIsThePlainKernel) {
  for (const std::int64_t dilation : {5, 9, 30}) {
    for (const std::int64_t stride : {1, 2}) {
      ConvParams p;
      p.dilations = {dilation, 5};
      p.strides = {stride, stride};
      p.pads = {dilation, 10, dilation + 3, 4};
      const Shape x{2, 272, 9, 11}, w{21, 272, 3, 3};
      Shape y;
      ASSERT_TRUE(ConvShape(p, x, w, &y).ok());
      CheckConv(p, x, w, y);
    }
  }
}

// Outputs that see pads alone, with any post-ops: pads longer than the window, or taps on both
// sides of a short image.
TEST_F(PreparedConvTest, OfPadsAloneIsThePlainKernel) {
  for (int n = 0; n < 40; ++n) {
    ConvParams p;
    p.pads = n % 2 == 0 ? Ints{2, 0, 0, 3} : Ints{1, 1, 1, 1};
    p.dilations = n % 2 == 0 ? Ints{1, 1} : Ints{1, 2};
    p.strides = {1, Pick(1, 2)};
    const Shape x{Pick(1, 2), Pick(3, 17), 5, n % 2 == 0 ? 6 : 1};
    const Shape w{Pick(3, 17), x[1], 1, 2};
    Shape y;
    ASSERT_TRUE(ConvShape(p, x, w, &y).ok());
    CheckConv(p, x, w, y);
  }
}

// Long windows of few channels each.
TEST_F(PreparedConvTest, OfGroupsWithLongPadsIsThePlainKernel) {
  for (const std::int64_t group : {2, 8, 32}) {
    ConvParams p;
    p.group = group;
    p.pads = {15, 15};
    CheckConv(p, {2, 32, 24}, {32, 32 / group, 31}, {2, 32, 24});
  }
}

// Few outputs; among them such as have strides, groups, pads beyond the window or too few elements.
TEST_F(PreparedConvTest, OfFewOutputsIsThePlainKernel) {
  int checked = 0;
  for (int n = 0; n < 200; ++n) {
    ConvParams p;
    const Shape x = PickImage(4 * Pick(1, 12));
    const int rank = x.size() - 2;
    p.group = Pick(1, 8) == 1 ? 2 : 1;
    p.strides = PickEach(rank, 1, Pick(1, 4) == 1 ? 2 : 1);
    p.dilations = PickEach(rank, 1, 2);
    p.pads = PickEach(2 * rank, 0, 3);
    Shape w{p.group * Pick(1, 4), x[1] / p.group};
    for (int i = 0; i < rank; ++i) w.push_back(Pick(1, 5));
    Shape y;
    if (!ConvShape(p, x, w, &y).ok()) continue;
    CheckConv(p, x, w, y);
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

// From blocks of channels to rows, which are what it chooses, and back to blocks.
TEST_F(PreparedConvTest, OfFewOutputsBetweenBlocksIsThePlainKernel) {
  for (const std::int64_t block : {8, 16}) {
    const Shape x{2, 20, 7, 9}, w{3, 20, 3, 3}, y{2, 3, 7, 9};
    ConvParams p;
    p.pads = {1, 1, 1, 1};
    const std::vector<float> dx = Draw(x), dw = Draw(w), residual = Draw(y);
    std::vector<float> plain(residual.size());
    Conv<float>(p, {dx.data(), x}, {dw.data(), w}, {}, {plain.data(), y});
    PostOps post;
    post.residual = true;
    for (const std::int64_t wanted : {std::int64_t{0}, block}) {
      std::int64_t made = wanted;
      PreparedConv conv;
      ASSERT_TRUE(conv.Init(context_, p, x, w, dw.data(), nullptr, post, {block, &made}, {},
                            ConvMethod::kFastest, &MakeFewOutputs)
                      .ok());
      EXPECT_EQ(std::string(conv.Implementation()), "own panels");
      EXPECT_EQ(made, wanted == 0 ? kRowMajor : block);
      std::vector<float> sum = InBlocks(residual, y, made);
      ASSERT_TRUE(conv.Run(InBlocks(dx, x, block).data(), sum.data(), sum.data(),
                           Scratch(conv.ScratchBytes()))
                      .ok());
      std::vector<float> fast(residual.size());
      CopyToRowMajor(made, {sum.data(), y}, {fast.data(), y});
      ExpectNear(plain, fast, post, residual);
    }
  }
}

// Groups of one channel, each with several results.
TEST_F(PreparedConvTest, OfSeveralResultsAChannelIsThePlainKernel) {
  for (const std::int64_t group : {2, 5, 16, 24}) {
    for (const std::int64_t results : {2, 3, 9}) {
      for (int rank = 1; rank <= 3; ++rank) {
        ConvParams p;
        p.group = group;
        Shape x{Pick(1, 2), group}, w{group * results, 1};
        for (int i = 0; i < rank; ++i) {
          x.push_back(Pick(5, 9));
          w.push_back(3);
          p.strides.push_back(Pick(1, 2));
          p.pads.push_back(1);
          p.pads.push_back(1);
        }
        Shape y;
        ASSERT_TRUE(ConvShape(p, x, w, &y).ok());
        CheckConv(p, x, w, y);
      }
    }
  }
}

TEST_F(FastOperatorsTest, ConvTransposeIsThePlainKernel) {
  int checked = 0;
  for (int n = 0; n < 300; ++n) {
    ConvTransposeParams p;
    p.group = Pick(1, 3);
    const Shape x = PickImage(p.group * Pick(1, 4));
    const int rank = x.size() - 2;
    p.auto_pad = PickAutoPad();
    p.strides = PickEach(rank, 1, 3);
    p.dilations = PickEach(rank, 1, 2);
    p.pads = PickEach(2 * rank, 0, 2);
    p.output_padding = PickEach(rank, 0, 1);
    Shape w{x[1], Pick(1, 4)};
    for (int i = 0; i < rank; ++i) w.push_back(Pick(1, 3));
    Shape y;
    if (!ConvTransposeShape(p, x, w, &y).ok() || !PreparedConvTranspose::Supports(p, x, w)) {
      continue;
    }
    const bool has_bias = Pick(0, 1) == 1;
    const PostOps post = PickPostOps();
    const std::vector<float> dx = Draw(x), dw = Draw(w), db = Draw(y[1]), residual = Draw(y);
    std::vector<float> plain(residual.size()), fast(residual.size());
    const TensorView<const float> vx{dx.data(), x}, vw{dw.data(), w};
    const TensorView<const float> bias{has_bias ? db.data() : nullptr, {y[1]}};
    const TensorView<float> vy{plain.data(), y};
    ConvTranspose<float>(p, vx, vw, bias, vy,
                         Scratch(ConvTransposeScratchBytes<float>(p, vx, vw, bias, vy)));
    PreparedConvTranspose conv;
    ASSERT_TRUE(conv.Init(context_, p, x, w, dw.data(), bias.data, post).ok());
    ASSERT_TRUE(
        conv.Run(dx.data(), residual.data(), fast.data(), Scratch(conv.ScratchBytes())).ok());
    ExpectNear(plain, fast, post, residual);
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

TEST_F(FastOperatorsTest, LinearIsThePlainKernel) {
  for (int n = 0; n < 200; ++n) {
    // Some are larger than the blocks in which products are made.
    const std::int64_t in = n % 20 == 0 ? 2000 : Pick(1, 90);
    const std::int64_t rows = n % 50 == 0 ? Pick(193, 500) : Pick(1, 40);
    const std::int64_t out = n % 40 == 0 ? Pick(129, 180) : Pick(1, 90);
    const LinearSizes sizes{rows, in, out, Pick(0, 1) == 1};
    const bool has_bias = Pick(0, 1) == 1;
    const PostOps post = PickPostOps();
    std::vector<float> x = Draw(sizes.rows * sizes.in);
    for (float& v : x) v /= std::sqrt(static_cast<float>(in));
    const std::vector<float> w = Draw(sizes.in * sizes.out);
    const std::vector<float> b = Draw(sizes.out), residual = Draw(sizes.rows * sizes.out);
    std::vector<float> by_input(w.size());  // (in, out)
    for (std::int64_t i = 0; i < sizes.in * sizes.out; ++i) {
      by_input[i % sizes.in * sizes.out + i / sizes.in] = w[i];
    }
    std::vector<float> plain(residual.size()), fast(residual.size());
    Linear<float>({x.data(), {sizes.rows, sizes.in}}, {w.data(), {sizes.out, sizes.in}},
                  {has_bias ? b.data() : nullptr, {sizes.out}},
                  {plain.data(), {sizes.rows, sizes.out}});
    PreparedLinear linear;
    ASSERT_TRUE(linear
                    .Init(context_, sizes, sizes.in_first ? by_input.data() : w.data(),
                          has_bias ? b.data() : nullptr, post)
                    .ok());
    ASSERT_TRUE(
        linear.Run(x.data(), residual.data(), fast.data(), Scratch(linear.ScratchBytes())).ok());
    ExpectNear(plain, fast, post, residual);
  }
}

TEST_F(FastOperatorsTest, MatMulIsThePlainKernel) {
  for (int n = 0; n < 200; ++n) {
    Shape a, b;
    for (std::int64_t i = Pick(0, 2); i > 0; --i) {
      const std::int64_t size = Pick(1, 4);
      a.push_back(Pick(0, 3) == 0 ? 1 : size);
      b.push_back(Pick(0, 3) == 0 ? 1 : size);
    }
    const std::int64_t depth = Pick(1, 70);
    a.push_back(Pick(1, 70));
    a.push_back(depth);
    b.push_back(depth);
    b.push_back(Pick(1, 70));
    Shape y;
    ASSERT_TRUE(MatMulShape(a, b, &y).ok());
    const PostOps post = PickPostOps();
    const std::vector<float> da = Draw(a), db = Draw(b), residual = Draw(y);
    std::vector<float> plain(residual.size()), fast(residual.size());
    MatMul<float>({da.data(), a}, {db.data(), b}, {plain.data(), y});
    PreparedMatMul product;
    ASSERT_TRUE(product.Init(context_, a, b, post).ok());
    ASSERT_TRUE(product
                    .Run(da.data(), db.data(), residual.data(), fast.data(),
                         Scratch(product.ScratchBytes()))
                    .ok());
    ExpectNear(plain, fast, post, residual);
  }
}

TEST_F(FastOperatorsTest, PoolsAreThePlainKernels) {
  int checked = 0;
  for (int n = 0; n < 300; ++n) {
    const Shape x = PickImage(Pick(1, 20));
    const int rank = x.size() - 2;
    MaxPoolParams max;
    max.auto_pad = PickAutoPad();
    max.ceil_mode = Pick(0, 1) == 1;
    max.kernel_shape = PickEach(rank, 1, 4);
    max.pads = PickEach(2 * rank, 0, 1);
    max.strides = PickEach(rank, 1, 3);
    AveragePoolParams average;
    average.auto_pad = max.auto_pad;
    average.ceil_mode = max.ceil_mode;
    average.count_include_pad = Pick(0, 1) == 1;
    average.kernel_shape = max.kernel_shape;
    average.pads = max.pads;
    average.strides = max.strides;
    Shape y;
    if (!MaxPoolShape(max, x, &y).ok() || !PreparedPool::Supports(average, x)) continue;
    const std::vector<float> dx = Draw(x);
    std::vector<float> plain(static_cast<std::size_t>(NumElements(y))), fast(plain.size());
    PreparedPool pool;
    MaxPool<float>(max, {dx.data(), x}, {plain.data(), y}, {});
    ASSERT_TRUE(pool.Init(context_, max, x).ok());
    ASSERT_TRUE(pool.Run(dx.data(), fast.data(), Scratch(pool.ScratchBytes())).ok());
    EXPECT_EQ(plain, fast);
    AveragePool<float>(average, {dx.data(), x}, {plain.data(), y});
    ASSERT_TRUE(pool.Init(context_, average, x).ok());
    ASSERT_TRUE(pool.Run(dx.data(), fast.data(), Scratch(pool.ScratchBytes())).ok());
    ExpectNear(plain, fast, PostOps(), {});
    ++checked;
  }
  EXPECT_GT(checked, 150);
}

TEST_F(FastOperatorsTest, WhatOneDnnCannotDoIsTold) {
  const Shape image4d{1, 2, 3, 3, 3, 3}, weight4d{2, 2, 1, 1, 1, 1};
  EXPECT_FALSE(PreparedConv::Supports({}, image4d, weight4d));
  EXPECT_FALSE(PreparedConv::Supports({}, {0, 2, 5}, {3, 2, 1}));
  MaxPoolParams dilated;
  dilated.kernel_shape = {2};
  dilated.dilations = {2};
  EXPECT_FALSE(PreparedPool::Supports(dilated, {1, 2, 9}));
  EXPECT_FALSE(PreparedMatMul::Supports({4}, {4, 5}));
  PreparedConv conv;
  EXPECT_FALSE(conv.Init(context_, {}, image4d, weight4d, nullptr, nullptr, {}).ok());
}

}  // namespace
}  // namespace dragoman::rt

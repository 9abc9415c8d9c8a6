// SPDX-License-Identifier: Apache-2.0
// Convolution by Winograd's algorithm against the plain kernel.
#include "runtime/fast/winograd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "runtime/fast/conv.h"
#include "runtime/fast/threads.h"
#include "runtime/kernels/conv.h"
#include "tests/unit/runtime/prepared_test.h"

namespace dragoman::rt {
namespace {

class WinogradTest : public PreparedTest {
 protected:
  // (N, C, H, W) with the channels in blocks, or back.
  static std::vector<float> Relaid(const std::vector<float>& from, const Shape& shape, bool back) {
    std::vector<float> to(from.size());
    const std::int64_t area = shape[2] * shape[3], block = Winograd::Block();
    for (std::int64_t nc = 0; nc < shape[0] * shape[1]; ++nc) {
      for (std::int64_t i = 0; i < area; ++i) {
        const std::int64_t plain = nc * area + i,
                           blocked = (nc / block * area + i) * block + nc % block;
        to[static_cast<std::size_t>(back ? plain : blocked)] =
            from[static_cast<std::size_t>(back ? blocked : plain)];
      }
    }
    return to;
  }

  // That Winograd in blocks of channels and PreparedConv on rows give what the plain kernel gives.
  void ExpectThePlainKernel(const ConvParams& p, const Shape& x, const Shape& w,
                            const PostOps& post, bool in_place) {
    Window window;
    Shape y;
    ASSERT_TRUE(ConvWindow(p, x, w, &window).ok() && ConvShape(p, x, w, &y).ok());
    ASSERT_TRUE(Winograd::Supports(window, 1, x, w));
    const std::vector<float> dx = Draw(NumElements(x)), db = Draw(w[0]),
                             dw = Draw(NumElements(w), 1.0f / std::sqrt(9.0f * w[1]));
    const std::vector<float> residual = Draw(NumElements(y));
    std::vector<float> plain(residual.size());
    Conv<float>(p, {dx.data(), x}, {dw.data(), w}, {db.data(), {w[0]}}, {plain.data(), y});
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (post.residual && !post.activation_first) plain[i] += residual[i];
      if (post.activation == FusedActivation::kRelu) plain[i] = std::max(plain[i], 0.0f);
      if (post.residual && post.activation_first) plain[i] += residual[i];
    }
    const Winograd fast(window, x, w, dw.data(), db.data(), post);
    const std::vector<float> blocked = Relaid(dx, x, false), added = Relaid(residual, y, false);
    std::vector<float> made = in_place ? added : std::vector<float>(added.size());
    fast.Run(blocked.data(), in_place ? made.data() : added.data(), made.data(),
             Scratch(fast.ScratchBytes()));
    ExpectNear(plain, Relaid(made, y, true));

    PreparedConv row_major;
    ASSERT_TRUE(row_major.Init(context_, p, x, w, dw.data(), db.data(), post).ok());
    made = in_place ? residual : std::vector<float>(residual.size());
    ASSERT_TRUE(row_major
                    .Run(dx.data(), in_place ? made.data() : residual.data(), made.data(),
                         Scratch(row_major.ScratchBytes()))
                    .ok());
    ExpectNear(plain, made);
  }

  static void ExpectNear(const std::vector<float>& expected, const std::vector<float>& made) {
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(expected[i], made[i], 2e-5f) << i;
  }
};

TEST_F(WinogradTest, IsThePlainKernel) {
  const Shape xs[] = {
      {1, 16, 4, 4}, {1, 48, 4, 4}, {2, 16, 13, 9}, {1, 48, 7, 30}, {1, 64, 20, 20}};
  for (const Shape& x : xs) {
    for (const std::int64_t pad : {0, 1, 2}) {
      if (x[2] + 2 * pad - 2 < 4) continue;
      ConvParams p;
      p.pads = {pad, pad, pad, pad};
      const Shape w{32, x[1], 3, 3};
      ExpectThePlainKernel(p, x, w, {}, false);
      PostOps post;
      post.residual = true;
      post.activation = FusedActivation::kRelu;
      ExpectThePlainKernel(p, x, w, post, true);
      post.activation_first = true;
      ExpectThePlainKernel(p, x, w, post, false);
    }
  }
}

TEST_F(WinogradTest, IsThePlainKernelWithDilations) {
  const Shape x{2, 16, 19, 21}, w{48, 16, 3, 3};
  const Ints dilations[] = {{2, 2}, {4, 4}, {1, 3}};
  for (const Ints& dilation : dilations) {
    ConvParams p;
    p.dilations = dilation;
    p.pads = {dilation[0], dilation[1], 1, dilation[1]};
    ExpectThePlainKernel(p, x, w, {}, false);
    PostOps post;
    post.residual = true;
    post.activation = FusedActivation::kRelu;
    ExpectThePlainKernel(p, x, w, post, true);
  }
}

TEST_F(WinogradTest, HasTheSameBitsOnAnyNumberOfThreads) {
  // Threads share the work on each tile of the last one alone.
  const std::int64_t sides[] = {56, 29, 14}, channels[] = {32, 96, 256};
  for (int i = 0; i < 3; ++i) {
    const Shape x{1, channels[i], sides[i], sides[i]}, w{channels[i], channels[i], 3, 3};
    ConvParams p;
    p.pads = {1, 1, 1, 1};
    Window window;
    ASSERT_TRUE(ConvWindow(p, x, w, &window).ok());
    const std::vector<float> dx = Draw(x), dw = Draw(w);
    std::vector<float> made[2];
    for (int threads = 1; threads <= 2; ++threads) {
      SetThreads(threads);
      const Winograd conv(window, x, w, dw.data(), nullptr, {});
      std::vector<float>& y = made[threads - 1];
      y.resize(dx.size());
      conv.Run(dx.data(), nullptr, y.data(), Scratch(conv.ScratchBytes()));
    }
    SetThreads(1);
    EXPECT_EQ(made[0], made[1]);
  }
}

TEST_F(WinogradTest, IsTakenForThreeByThreeWithStrideOneAlone) {
  const Shape x{1, 32, 28, 28};
  const auto supports = [&](const ConvParams& p, const Shape& w) {
    Window window;
    return ConvWindow(p, x, w, &window).ok() && Winograd::Supports(window, p.group, x, w);
  };
  ConvParams p;
  EXPECT_TRUE(supports(p, {32, 32, 3, 3}));
  EXPECT_FALSE(supports(p, {32, 32, 1, 1}));
  EXPECT_FALSE(supports(p, {30, 32, 3, 3}));
  p.strides = {2, 2};
  EXPECT_FALSE(supports(p, {32, 32, 3, 3}));
  p.strides = {};
  p.dilations = {2, 2};
  EXPECT_TRUE(supports(p, {32, 32, 3, 3}));
  p.dilations = {8, 8};  // less than 4 results that are so far apart
  EXPECT_FALSE(supports(p, {32, 32, 3, 3}));
  p.dilations = {};
  p.group = 2;
  EXPECT_FALSE(supports(p, {32, 16, 3, 3}));
}

TEST_F(WinogradTest, IsNotTakenForExactConvolutions) {
  const Shape x{1, 32, 28, 28}, w{32, 32, 3, 3};
  const std::vector<float> weights = Draw(NumElements(w));
  const auto implementation = [&](ConvMethod method) {
    PreparedConv conv;
    std::int64_t block = 0;
    EXPECT_TRUE(conv.Init(context_, {}, x, w, weights.data(), nullptr, {},
                          {Winograd::Block(), &block}, {}, method)
                    .ok());
    return std::string(conv.Implementation());
  };
  EXPECT_NE(implementation(ConvMethod::kDirect), "own winograd");
  EXPECT_EQ(implementation(ConvMethod::kFastest), "own winograd");
}

}  // namespace
}  // namespace dragoman::rt

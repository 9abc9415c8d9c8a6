// SPDX-License-Identifier: Apache-2.0
// NaN and infinities in the operands of products with activations, and of pools: they give what the
// operator without activation gives, and the activation of that.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "runtime/fast/activate.h"
#include "runtime/fast/conv.h"
#include "runtime/fast/conv_transpose.h"
#include "runtime/fast/linear.h"
#include "runtime/fast/mat_mul.h"
#include "runtime/fast/pool.h"
#include "runtime/kernels/max_pool.h"
#include "tests/unit/runtime/prepared_test.h"

namespace dragoman::rt {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr PostOps kNothing;

class NanTest : public PreparedTest {
 protected:
  std::vector<float> DrawWithNan(const Shape& shape) {
    std::vector<float> values = Draw(shape);
    for (float special : {kNan, kInfinity, -kInfinity})
      values[static_cast<std::size_t>(Pick(0, NumElements(shape) - 1))] = special;
    return values;
  }

  // run(post, residual, y) gives the operator's result, of `count` elements, in y.
  template <class Run>
  void ExpectKept(const char* name, std::int64_t count, bool residuals, Run run) {
    using Activation = FusedActivation;
    std::vector<float> residual = Draw(count);
    residual.front() = kNan;
    std::vector<float> plain(static_cast<std::size_t>(count)), y = plain;
    run(kNothing, nullptr, plain.data());
    for (int i = 1; i <= static_cast<int>(Activation::kHardSigmoid); ++i) {
      for (bool adds : {false, true}) {
        if (adds && !residuals) continue;
        const PostOps post = {adds, false, static_cast<Activation>(i), i % 2 == 0 ? -0.5f : 0.2f,
                              0.75f};
        std::vector<float> expected = plain;
        for (std::size_t k = 0; adds && k < expected.size(); ++k) expected[k] += residual[k];
        Activate(post, 1, count, count, nullptr, expected.data());
        run(post, adds ? residual.data() : nullptr, y.data());
        for (std::size_t k = 0; k < y.size(); ++k) {
          if (std::isnan(expected[k])) {
            ASSERT_TRUE(std::isnan(y[k])) << name << " " << Name(post.activation) << " " << k;
          } else if (std::isfinite(expected[k])) {
            ASSERT_NEAR(y[k], expected[k], 1e-4)
                << name << " " << Name(post.activation) << " " << k;
          }
        }
      }
    }
  }

  void CheckConv(const char* name, const Shape& x_shape, const Shape& w_shape,
                 const ConvParams& params) {
    const std::vector<float> x = DrawWithNan(x_shape), w = Draw(w_shape), bias = Draw(w_shape[0]);
    Shape y_shape;
    ASSERT_TRUE(ConvShape(params, x_shape, w_shape, &y_shape).ok());
    ExpectKept(name, NumElements(y_shape), true,
               [&](const PostOps& post, const float* residual, float* y) {
                 PreparedConv conv;
                 ASSERT_TRUE(conv.Init(context_, params, x_shape, w_shape, w.data(), bias.data(),
                                       post, {}, {}, ConvMethod::kDirect)
                                 .ok());
                 ASSERT_TRUE(conv.Run(x.data(), residual, y, Scratch(conv.ScratchBytes())).ok());
               });
  }
};

TEST_F(NanTest, PassesThroughConvolutions) {
  ConvParams params;
  params.pads = {1, 1, 1, 1};
  CheckConv("3 by 3", {1, 16, 9, 9}, {24, 16, 3, 3}, params);
  CheckConv("few outputs", {1, 16, 9, 9}, {3, 16, 3, 3}, params);
  params.group = 16;
  CheckConv("depthwise", {2, 16, 9, 9}, {16, 1, 3, 3}, params);
  params = {};
  CheckConv("1 by 1", {1, 5, 9, 9}, {7, 5, 1, 1}, params);
}

TEST_F(NanTest, PassesThroughTransposedConvolutions) {
  const Shape x_shape = {1, 8, 5, 5}, w_shape = {8, 6, 3, 3};
  const ConvTransposeParams params;
  const std::vector<float> x = DrawWithNan(x_shape), w = Draw(w_shape);
  ExpectKept("transposed", 6 * 7 * 7, false, [&](const PostOps& post, const float*, float* y) {
    PreparedConvTranspose conv;
    ASSERT_TRUE(conv.Init(context_, params, x_shape, w_shape, w.data(), nullptr, post).ok());
    ASSERT_TRUE(conv.Run(x.data(), nullptr, y, Scratch(conv.ScratchBytes())).ok());
  });
}

TEST_F(NanTest, PassesThroughProducts) {
  for (std::int64_t rows : {7, 64, 130}) {
    const LinearSizes sizes = {rows, 40, 24, false};
    const std::vector<float> x = DrawWithNan({rows, 40}), w = Draw({24, 40}), bias = Draw(24);
    ExpectKept(
        "linear", rows * 24, true, [&](const PostOps& post, const float* residual, float* y) {
          PreparedLinear linear;
          ASSERT_TRUE(linear.Init(context_, sizes, w.data(), bias.data(), post).ok());
          ASSERT_TRUE(linear.Run(x.data(), residual, y, Scratch(linear.ScratchBytes())).ok());
        });
    ExpectKept(
        "product", rows * 24, true, [&](const PostOps& post, const float* residual, float* y) {
          PreparedMatMul product;
          ASSERT_TRUE(product.Init(context_, {rows, 40}, {40, 24}, post).ok());
          ASSERT_TRUE(
              product.Run(x.data(), w.data(), residual, y, Scratch(product.ScratchBytes())).ok());
        });
  }
}

TEST_F(NanTest, OfWeightsPassesThrough) {
  const std::vector<float> x = Draw({64, 40});
  std::vector<float> w = Draw({24, 40});
  w[3] = kNan;
  ExpectKept("linear", 64 * 24, false, [&](const PostOps& post, const float*, float* y) {
    PreparedLinear linear;
    ASSERT_TRUE(linear.Init(context_, {64, 40, 24, false}, w.data(), nullptr, post).ok());
    ASSERT_TRUE(linear.Run(x.data(), nullptr, y, Scratch(linear.ScratchBytes())).ok());
  });
}

TEST_F(NanTest, PassesThroughPools) {
  for (int n = 0; n < 60; ++n) {
    const Shape x_shape = {Pick(1, 2), Pick(1, 20), Pick(2, 9), Pick(2, 9)};
    MaxPoolParams params;
    params.kernel_shape = {Pick(1, 2), 2};
    params.strides = {Pick(1, 2), Pick(1, 3)};
    params.pads = {0, Pick(0, 1), 0, Pick(0, 1)};
    Shape y_shape;
    ASSERT_TRUE(MaxPoolShape(params, x_shape, &y_shape).ok());
    const std::vector<float> x = DrawWithNan(x_shape);
    std::vector<float> y(static_cast<std::size_t>(NumElements(y_shape))), expected = y;
    PreparedPool pool;
    ASSERT_TRUE(pool.Init(context_, params, x_shape).ok());
    ASSERT_TRUE(pool.Run(x.data(), y.data(), Scratch(pool.ScratchBytes())).ok());
    MaxPool<float>(params, {x.data(), x_shape}, {expected.data(), y_shape}, {});
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_TRUE(y[i] == expected[i] || (std::isnan(y[i]) && std::isnan(expected[i])))
          << n << ": " << y[i] << " for " << expected[i];
  }
}

}  // namespace
}  // namespace dragoman::rt

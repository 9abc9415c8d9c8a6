// The prepared operators on 8-bit integers against the plain kernels, on drawn shapes, attributes
// and zero points: equal to the last bit, by every loop that this processor can run.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "runtime/fast/int8_conv.h"
#include "runtime/fast/int8_mat_mul.h"
#include "runtime/kernels/conv_integer.h"
#include "runtime/kernels/mat_mul_integer.h"
#include "runtime/kernels/q_linear_conv.h"
#include "runtime/kernels/q_linear_mat_mul.h"
#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

template <class T1, class T2, class T3>
struct Types {
  using X = T1;
  using W = T2;
  using Y = T3;
};

template <class Case>
class Int8OperatorsTest : public testing::Test {
 protected:
  using X = typename Case::X;
  using W = typename Case::W;
  using Y = typename Case::Y;

  std::int64_t Pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  // Of the whole range: pairs of large products would saturate 16 bits.
  template <class T>
  Dense<T> Draw(const Shape& shape) {
    std::vector<T> values(static_cast<std::size_t>(NumElements(shape)));
    for (T& v : values) {
      v = static_cast<T>(Pick(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
      if (Pick(0, 3) == 0) v = std::numeric_limits<T>::max();
    }
    return Dense<T>(shape, values);
  }
  Dense<std::int32_t> DrawBias(std::int64_t count) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    for (std::int32_t& v : values) v = static_cast<std::int32_t>(Pick(-20000, 20000));
    return Dense<std::int32_t>({count}, values);
  }
  Dense<float> DrawScales(const Shape& shape) {
    std::vector<float> values(static_cast<std::size_t>(NumElements(shape)));
    for (float& v : values) v = std::uniform_real_distribution<float>(0.001f, 0.02f)(random_);
    return Dense<float>(shape, values);
  }
  void* Scratch(std::int64_t bytes) {
    scratch_.assign(static_cast<std::size_t>(bytes + 64), char(0x5a));
    const auto address = reinterpret_cast<std::uintptr_t>(scratch_.data());
    return scratch_.data() + (64 - address % 64) % 64;
  }
  ConvParams PickConv(Shape* x, Shape* w) {
    ConvParams p;
    p.group = Pick(0, 2) == 0 ? Pick(2, 4) : 1;
    const std::int64_t in = Pick(1, 5), out = Pick(1, 9);
    *x = {Pick(1, 2), p.group * in};
    *w = {p.group * out, in};
    for (std::int64_t rank = Pick(1, 3); rank > 0; --rank) {
      x->push_back(Pick(4, rank == 1 ? 40 : 9));
      w->push_back(Pick(1, 3));
      p.strides.push_back(Pick(1, 2));
      p.dilations.push_back(Pick(1, 2));
    }
    p.auto_pad = static_cast<AutoPad>(Pick(0, 3));
    for (int i = 2; i < 2 * x->size() - 2 && p.auto_pad == AutoPad::kNotSet; ++i)
      p.pads.push_back(Pick(0, 2));
    return p;
  }

  FastContext context_;
  std::mt19937 random_{11};
  std::vector<char> scratch_;
};

using Cases = testing::Types<Types<std::uint8_t, std::int8_t, std::uint8_t>,
                             Types<std::int8_t, std::int8_t, std::int8_t>,
                             Types<std::uint8_t, std::uint8_t, std::int8_t>>;
TYPED_TEST_SUITE(Int8OperatorsTest, Cases);

TYPED_TEST(Int8OperatorsTest, Convolutions) {
  using X = typename TypeParam::X;
  using W = typename TypeParam::W;
  using Y = typename TypeParam::Y;
  int checked = 0;
  for (int n = 0; n < 150; ++n) {
    Shape x_shape, w_shape, y_shape;
    const ConvParams p = this->PickConv(&x_shape, &w_shape);
    if (!PreparedInt8Conv::Supports(p, x_shape, w_shape)) continue;
    ASSERT_TRUE(ConvShape(p, x_shape, w_shape, &y_shape).ok());
    const bool by_channel = this->Pick(0, 1) == 1, has_bias = this->Pick(0, 1) == 1;
    const Shape line = by_channel ? Shape{w_shape[0]} : Shape{};
    const auto x = this->template Draw<X>(x_shape);
    const auto w = this->template Draw<W>(w_shape);
    const auto x_zero = this->template Draw<X>({});
    const auto w_zero = this->template Draw<W>(line);
    const auto y_zero = this->template Draw<Y>({});
    const auto x_scale = this->DrawScales({}), y_scale = this->DrawScales({});
    const auto w_scale = this->DrawScales(line);
    const auto bias = this->DrawBias(w_shape[0]);
    const TensorView<const std::int32_t> b =
        has_bias ? bias.In() : TensorView<const std::int32_t>();
    Dense<Y> expected(y_shape), quantised(y_shape);
    Dense<std::int32_t> expected_sums(y_shape), sums(y_shape);
    QLinearConv(p, x.In(), x_scale.In(), x_zero.In(), w.In(), w_scale.In(), w_zero.In(),
                y_scale.In(), y_zero.In(), b, expected.Out());
    ConvInteger(p, x.In(), w.In(), x_zero.In(), w_zero.In(), expected_sums.Out());
    for (const Int8Kernel* kernel : UsableInt8Kernels()) {
      PreparedInt8Conv conv;
      ASSERT_TRUE(conv.Init(this->context_, p, x_shape, w_shape, w.In().data, w_zero.In(),
                            {x_scale.In(), w_scale.In(), y_scale.In(), y_zero.In(), b}, *kernel)
                      .ok());
      ASSERT_TRUE(conv.Run(x.In().data, x_zero.In().data, quantised.Out().data,
                           this->Scratch(conv.ScratchBytes()))
                      .ok());
      ASSERT_EQ(quantised.Values(), expected.Values()) << conv.Implementation();
      ASSERT_TRUE(
          conv.Init(this->context_, p, x_shape, w_shape, w.In().data, w_zero.In(), {}, *kernel)
              .ok());
      ASSERT_TRUE(conv.Run(x.In().data, x_zero.In().data, sums.Out().data,
                           this->Scratch(conv.ScratchBytes()))
                      .ok());
      ASSERT_EQ(sums.Values(), expected_sums.Values()) << conv.Implementation();
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}

TYPED_TEST(Int8OperatorsTest, ProductsByAConstantMatrix) {
  using X = typename TypeParam::X;
  using W = typename TypeParam::W;
  using Y = typename TypeParam::Y;
  for (int n = 0; n < 100; ++n) {
    const std::int64_t depth = this->Pick(1, 70), columns = this->Pick(1, 70);
    const Shape a_shape{this->Pick(1, 3), this->Pick(1, 9), depth}, b_shape{depth, columns};
    Shape y_shape{a_shape[0], a_shape[1], columns};
    const Shape line = this->Pick(0, 1) == 1 ? Shape{columns} : Shape{};
    const auto a = this->template Draw<X>(a_shape);
    const auto b = this->template Draw<W>(b_shape);
    const auto a_zero = this->template Draw<X>({});
    const auto b_zero = this->template Draw<W>(line);
    const auto y_zero = this->template Draw<Y>({});
    const auto a_scale = this->DrawScales({}), y_scale = this->DrawScales({});
    const auto b_scale = this->DrawScales(line);
    Dense<Y> expected(y_shape), quantised(y_shape);
    QLinearMatMul(a.In(), a_scale.In(), a_zero.In(), b.In(), b_scale.In(), b_zero.In(),
                  y_scale.In(), y_zero.In(), expected.Out());
    for (const Int8Kernel* kernel : UsableInt8Kernels()) {
      PreparedInt8MatMul product;
      ASSERT_TRUE(product
                      .Init(this->context_, a_shape, b_shape, b.In().data, b_zero.In(),
                            {a_scale.In(), b_scale.In(), y_scale.In(), y_zero.In(), {}}, *kernel)
                      .ok());
      ASSERT_TRUE(product
                      .Run(a.In().data, a_zero.In().data, nullptr, nullptr, quantised.Out().data,
                           this->Scratch(product.ScratchBytes()))
                      .ok());
      ASSERT_EQ(quantised.Values(), expected.Values()) << product.Implementation();
    }
  }
}

TYPED_TEST(Int8OperatorsTest, BatchesOfProductsComputedAtRunTime) {
  using X = typename TypeParam::X;
  using W = typename TypeParam::W;
  const Shape a_shape{3, 1, 7, 33}, b_shape{2, 33, 19}, y_shape{3, 2, 7, 19};
  const auto a = this->template Draw<X>(a_shape);
  const auto b = this->template Draw<W>(b_shape);
  const auto a_zero = this->template Draw<X>({});
  const auto b_zero = this->template Draw<W>({});
  Dense<std::int32_t> expected(y_shape), sums(y_shape);
  MatMulInteger(a.In(), b.In(), a_zero.In(), b_zero.In(), expected.Out());
  PreparedInt8MatMul product;
  ASSERT_TRUE(product.Init(this->context_, a_shape, b_shape, nullptr, {}).ok());
  ASSERT_TRUE(product
                  .Run(a.In().data, a_zero.In().data, b.In().data, b_zero.In().data,
                       sums.Out().data, this->Scratch(product.ScratchBytes()))
                  .ok());
  EXPECT_EQ(sums.Values(), expected.Values());
}

TEST(Int8ProductTest, ScalesThatDoNotFitAreRefused) {
  const Dense<float> one({}, {1.0f}), three({3}, {1.0f, 2.0f, 3.0f});
  Requantizer requantizer;
  EXPECT_FALSE(requantizer.Init({one.In(), three.In(), one.In(), {}, {}}, 4).ok());
}

}  // namespace
}  // namespace dragoman::rt

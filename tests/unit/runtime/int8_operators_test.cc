// SPDX-License-Identifier: Apache-2.0
// The prepared operators on 8-bit integers against the plain kernels, on drawn shapes, attributes
// and zero points: equal to the last bit, by every loop that this processor can run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "runtime/fast/int8_conv.h"
#include "runtime/fast/int8_image.h"
#include "runtime/fast/int8_mat_mul.h"
#include "runtime/fast/int8_pool.h"
#include "runtime/fast/int8_winograd.h"
#include "runtime/fast/quantize.h"
#include "runtime/kernels/conv_integer.h"
#include "runtime/kernels/dynamic_quantize_linear.h"
#include "runtime/kernels/mat_mul_integer.h"
#include "runtime/kernels/max_pool.h"
#include "runtime/kernels/q_linear_conv.h"
#include "runtime/kernels/q_linear_mat_mul.h"
#include "runtime/kernels/quantize_linear.h"
#include "tests/unit/runtime/dense.h"
#include "tests/unit/runtime/prepared_test.h"

namespace dragoman::rt {
namespace {

template <class T>
Int8Grid GridOf(float scale, T zero) {
  return {scale, zero, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

// The elements of (N, C, spatial...), if `channels_last` in the order of (N, spatial..., C).
template <class T>
Dense<T> Placed(const Dense<T>& x, bool channels_last) {
  const TensorView<const T> from = x.In();
  if (!channels_last) return Dense<T>(from.shape, x.Values());
  const std::int64_t channels = from.shape[1], plane = from.size() / from.shape[0] / channels;
  Dense<T> to(from.shape);
  for (std::int64_t i = 0; i < from.size(); ++i) {
    const std::int64_t n = i / plane / channels, c = i / plane % channels, k = i % plane;
    to.Out()[(n * plane + k) * channels + c] = from[i];
  }
  return to;
}

// Loops that multiply factors of type A by those of type B, so that bytes are tried on every
// processor.
template <class A, class B>
void MultiplyElements(std::int64_t rows, const Int8Lines& left, const char* right,
                      std::int32_t* sums) {
  constexpr std::int64_t kColumns = 16, kDepths = kInt8Word / sizeof(A);
  for (std::int64_t i = 0; i < rows * kColumns; ++i) {
    const std::int64_t row = i / kColumns, column = i % kColumns;
    std::uint32_t sum = 0;
    for (std::int64_t k = 0; k < left.num_runs * left.words * kDepths; ++k) {
      const std::int64_t word = k / kDepths, run = word / left.words;
      const char* line = left.starts[row] + left.runs[run] + word % left.words * kInt8Word;
      A a;
      B b;
      std::memcpy(&a, line + k % kDepths * sizeof a, sizeof a);
      std::memcpy(&b, right + ((word * kColumns + column) * kDepths + k % kDepths) * sizeof b,
                  sizeof b);
      sum += static_cast<std::uint32_t>(a * b);
    }
    sums[i] = static_cast<std::int32_t>(sum);
  }
}

constexpr Int8Kernel kBytes = {"by element", 16, MultiplyElements<std::int16_t, std::int16_t>,
                               MultiplyElements<std::uint8_t, std::int8_t>};

std::vector<const Int8Kernel*> KernelsToTest() {
  std::vector<const Int8Kernel*> kernels = UsableInt8Kernels();
  kernels.push_back(&kBytes);
  return kernels;
}

template <class T1, class T2, class T3>
struct Types {
  using X = T1;
  using W = T2;
  using Y = T3;
};

template <class Case>
class Int8OperatorsTest : public PreparedTest {
 protected:
  using X = typename Case::X;
  using W = typename Case::W;
  using Y = typename Case::Y;

  // What quantised numbers are multiplied and quantised again with: the weights have a scale and a
  // zero point, or `channels` of each.
  struct Quantisation {
    Dense<X> x_zero;
    Dense<W> w_zero;
    Dense<Y> y_zero;
    Dense<float> x_scale, w_scale, y_scale;

    Int8Epilogue Epilogue(TensorView<const std::int32_t> bias) const {
      Int8Epilogue epilogue;
      epilogue.sum_bias = bias;
      epilogue.x_scale = x_scale.In()[0];
      epilogue.w_scale = w_scale.In();
      epilogue.y_scale = y_scale.In()[0];
      epilogue.result = GridOf<Y>(1.0f, y_zero.In()[0]);
      return epilogue;
    }
  };
  Quantisation DrawQuantisation(std::int64_t channels) {
    const Shape line = Pick(0, 1) == 1 ? Shape{channels} : Shape{};
    return {Draw<X>({}),    DrawZeros(line),  Draw<Y>({}),
            DrawScales({}), DrawScales(line), DrawScales({})};
  }
  // Half of them in the middle, so that weights less their zero points fit bytes.
  Dense<W> DrawZeros(const Shape& shape) {
    if (Pick(0, 1) == 0) return Draw<W>(shape);
    const W middle = std::is_signed_v<W> ? 0 : 128;
    return Dense<W>(shape, std::vector<W>(static_cast<std::size_t>(NumElements(shape)), middle));
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

  // A 3 x 3 convolution that Winograd's algorithm may compute.
  ConvParams PickSquare(Shape* x, Shape* w) {
    *x = {Pick(1, 2), 16 * Pick(1, 2), Pick(3, 18), Pick(3, 18)};
    *w = {Pick(1, 40), (*x)[1], 3, 3};
    ConvParams p;
    p.pads = {Pick(0, 1), Pick(0, 1), Pick(0, 1), Pick(0, 1)};
    return p;
  }

  // A convolution of drawn operands gives the sums and the quantised results of the plain kernels
  // in any layout, by every loop.
  void CheckConv(const ConvParams& p, const Shape& x_shape, const Shape& w_shape) {
    Shape y_shape;
    ASSERT_TRUE(ConvShape(p, x_shape, w_shape, &y_shape).ok());
    const auto x = Draw<X>(x_shape);
    const auto w = Draw<W>(w_shape);
    const Quantisation q = DrawQuantisation(w_shape[0]);
    const auto drawn_bias = DrawBias(w_shape[0]);
    const bool has_bias = Pick(0, 1) == 1;
    const TensorView<const std::int32_t> bias =
        has_bias ? drawn_bias.In() : TensorView<const std::int32_t>();
    Dense<Y> expected(y_shape), quantised(y_shape);
    Dense<std::int32_t> expected_sums(y_shape), sums(y_shape);
    QLinearConv(p, x.In(), q.x_scale.In(), q.x_zero.In(), w.In(), q.w_scale.In(), q.w_zero.In(),
                q.y_scale.In(), q.y_zero.In(), bias, expected.Out());
    ConvInteger(p, x.In(), w.In(), q.x_zero.In(), q.w_zero.In(), expected_sums.Out());
    const ChannelsLast layout{Pick(0, 1) == 1, Pick(0, 1) == 1};
    const auto placed = Placed(x, layout.x);
    for (const Int8Kernel* kernel : KernelsToTest()) {
      const auto run = [&](const Int8Epilogue& epilogue, Int8Result y) {
        PreparedInt8Conv conv;
        Status status = conv.Init(context_, p, x_shape, w_shape, w.In().data, q.w_zero.In(),
                                  epilogue, layout, *kernel);
        if (!status.ok()) return status;
        return conv.Run(placed.In().data, q.x_zero.In().data, nullptr, nullptr, y,
                        Scratch(conv.ScratchBytes()));
      };
      ASSERT_TRUE(run(q.Epilogue(bias), quantised.Out().data).ok());
      ASSERT_TRUE(run({}, sums.Out().data).ok());
      ASSERT_EQ(quantised.Values(), Placed(expected, layout.y).Values()) << kernel->name;
      ASSERT_EQ(sums.Values(), Placed(expected_sums, layout.y).Values()) << kernel->name;
    }
  }
};

using Cases = testing::Types<Types<std::uint8_t, std::int8_t, std::uint8_t>,
                             Types<std::int8_t, std::int8_t, std::int8_t>,
                             Types<std::uint8_t, std::uint8_t, std::int8_t>>;
TYPED_TEST_SUITE(Int8OperatorsTest, Cases);

TYPED_TEST(Int8OperatorsTest, ConvolutionsAreThePlainKernels) {
  int checked = 0;
  for (int n = 0; n < 150; ++n) {
    Shape x, w;
    const ConvParams p = n % 5 == 0 ? this->PickSquare(&x, &w) : this->PickConv(&x, &w);
    if (!PreparedInt8Conv::Supports(p, x, w)) continue;
    ASSERT_NO_FATAL_FAILURE(this->CheckConv(p, x, w));
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

// What stands after a convolution of a residual network, operator by operator.
TYPED_TEST(Int8OperatorsTest, AnEpilogueIsTheOperatorsThatItReplaces) {
  using X = typename TypeParam::X;
  using Y = typename TypeParam::Y;
  for (int n = 0; n < 20; ++n) {
    const Shape a_shape{7, 33}, b_shape{33, 37}, y_shape{7, 37};
    const auto a = this->template Draw<X>(a_shape);
    const auto b = this->template Draw<std::int8_t>(b_shape);
    const auto residual = this->template Draw<Y>(y_shape);
    const auto residual_zero = this->template Draw<Y>({}), zero = this->template Draw<Y>({});
    const auto w_scale = this->DrawScales({37}), bias = this->DrawScales({37});
    const auto scale = this->DrawScales({}), residual_scale = this->DrawScales({});
    Dense<std::int32_t> sums(y_shape);
    MatMulInteger(a.In(), b.In(), {}, {}, sums.Out());
    const DequantizeLinearParams dequantize;
    const QuantizeLinearParams quantize;
    Dense<float> values(y_shape), added(y_shape);
    DequantizeLinear(dequantize, sums.In(), w_scale.In(), {}, values.Out());
    for (std::int64_t i = 0; i < values.In().size(); ++i)
      values.Out()[i] = std::max(values.In()[i] + bias.In()[i % 37], -1.5f);
    Dense<Y> rounded(y_shape), expected(y_shape);
    QuantizeLinear(quantize, values.In(), scale.In(), zero.In(), rounded.Out());
    DequantizeLinear(dequantize, rounded.In(), scale.In(), zero.In(), values.Out());
    DequantizeLinear(dequantize, residual.In(), residual_scale.In(), residual_zero.In(),
                     added.Out());
    for (std::int64_t i = 0; i < values.In().size(); ++i)
      values.Out()[i] = std::max(values.In()[i] + added.In()[i], 0.0f);
    QuantizeLinear(quantize, values.In(), scale.In(), zero.In(), expected.Out());

    Int8Epilogue epilogue;
    epilogue.w_scale = w_scale.In();
    epilogue.bias = bias.In();
    epilogue.limits.low = -1.5f;
    epilogue.through = GridOf<Y>(scale.In()[0], zero.In()[0]);
    epilogue.through_scale = scale.In()[0];
    epilogue.residual = GridOf<Y>(residual_scale.In()[0], residual_zero.In()[0]);
    epilogue.sum_limits.low = 0.0f;
    const auto run = [&](Int8Result y) {
      PreparedInt8MatMul product;
      Status status = product.Init(this->context_, a_shape, b_shape, b.In().data, {}, epilogue);
      if (!status.ok()) return status;
      return product.Run(a.In().data, nullptr, nullptr, nullptr, nullptr, residual.In().data, y,
                         this->Scratch(product.ScratchBytes()));
    };
    Dense<float> reals(y_shape);
    ASSERT_TRUE(run(reals.Out().data).ok());
    EXPECT_EQ(reals.Values(), values.Values());
    epilogue.result = GridOf<Y>(scale.In()[0], zero.In()[0]);
    Dense<Y> quantised(y_shape);
    ASSERT_TRUE(run(quantised.Out().data).ok());
    EXPECT_EQ(quantised.Values(), expected.Values());
    EXPECT_FALSE(run(reals.Out().data).ok());
  }
}

TYPED_TEST(Int8OperatorsTest, ProductsByAConstantMatrixAreThePlainKernel) {
  using X = typename TypeParam::X;
  using W = typename TypeParam::W;
  using Y = typename TypeParam::Y;
  for (int n = 0; n < 100; ++n) {
    const std::int64_t depth = this->Pick(1, 70), columns = this->Pick(1, 70);
    const Shape a_shape{this->Pick(1, 3), this->Pick(1, 9), depth}, b_shape{depth, columns};
    const Shape y_shape{a_shape[0], a_shape[1], columns};
    const auto a = this->template Draw<X>(a_shape);
    const auto b = this->template Draw<W>(b_shape);
    const auto q = this->DrawQuantisation(columns);
    Dense<Y> expected(y_shape), quantised(y_shape);
    QLinearMatMul(a.In(), q.x_scale.In(), q.x_zero.In(), b.In(), q.w_scale.In(), q.w_zero.In(),
                  q.y_scale.In(), q.y_zero.In(), expected.Out());
    for (const Int8Kernel* kernel : KernelsToTest()) {
      PreparedInt8MatMul product;
      ASSERT_TRUE(product
                      .Init(this->context_, a_shape, b_shape, b.In().data, q.w_zero.In(),
                            q.Epilogue({}), *kernel)
                      .ok());
      ASSERT_TRUE(product
                      .Run(a.In().data, q.x_zero.In().data, nullptr, nullptr, nullptr, nullptr,
                           quantised.Out().data, this->Scratch(product.ScratchBytes()))
                      .ok());
      ASSERT_EQ(quantised.Values(), expected.Values()) << product.Implementation();
    }
  }
}

// What stands after a product of dynamically quantised operands, by one scale in all and by one a
// column.
TYPED_TEST(Int8OperatorsTest, AScaleThatTheRunTellsIsMultipliedByTheConstantOnes) {
  using X = typename TypeParam::X;
  const Shape a_shape{7, 33}, b_shape{33, 37}, y_shape{7, 37};
  const auto b = this->template Draw<std::int8_t>(b_shape);
  for (const Shape& scales : {Shape{}, Shape{37}}) {
    const auto w_scale = this->DrawScales(scales), bias = this->DrawScales({37});
    Int8Epilogue epilogue;
    epilogue.w_scale = w_scale.In();
    epilogue.bias = bias.In();
    epilogue.scaled_at_run = true;
    PreparedInt8MatMul product;
    ASSERT_TRUE(product.Init(this->context_, a_shape, b_shape, b.In().data, {}, epilogue).ok());
    const auto run = [&](const X* a, const float* scale, float* y) {
      return product.Run(a, nullptr, nullptr, nullptr, scale, nullptr, y,
                         this->Scratch(product.ScratchBytes()));
    };
    Dense<float> y(y_shape), expected(y_shape);
    for (int n = 0; n < 3; ++n) {
      const auto a = this->template Draw<X>(a_shape);
      const auto scale = this->DrawScales({});
      Dense<std::int32_t> sums(y_shape);
      MatMulInteger(a.In(), b.In(), {}, {}, sums.Out());
      for (std::int64_t i = 0; i < sums.In().size(); ++i) {
        const float product_of_scales = scale.In()[0] * w_scale.In()[scales.empty() ? 0 : i % 37];
        const volatile float scaled = static_cast<float>(sums.In()[i]) * product_of_scales;
        expected.Out()[i] = scaled + bias.In()[i % 37];
      }
      ASSERT_TRUE(run(a.In().data, scale.In().data, y.Out().data).ok());
      EXPECT_EQ(y.Values(), expected.Values());
      EXPECT_FALSE(run(a.In().data, nullptr, y.Out().data).ok());
    }
  }
}

TYPED_TEST(Int8OperatorsTest, BatchesOfProductsByRunTimeMatricesAreThePlainKernel) {
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
                  .Run(a.In().data, a_zero.In().data, b.In().data, b_zero.In().data, nullptr,
                       nullptr, sums.Out().data, this->Scratch(product.ScratchBytes()))
                  .ok());
  EXPECT_EQ(sums.Values(), expected.Values());
}

TYPED_TEST(Int8OperatorsTest, PoolsAreThePlainKernel) {
  using X = typename TypeParam::X;
  int checked = 0;
  for (int n = 0; n < 60; ++n) {
    Shape x_shape{this->Pick(1, 2), this->Pick(1, 40)}, y_shape;
    MaxPoolParams p;
    for (std::int64_t rank = this->Pick(1, 3); rank > 0; --rank) {
      x_shape.push_back(this->Pick(3, 9));
      p.kernel_shape.push_back(this->Pick(1, 3));
      p.strides.push_back(this->Pick(1, 2));
      p.dilations.push_back(this->Pick(1, 2));
    }
    for (int i = 4; i < 2 * x_shape.size(); ++i) p.pads.push_back(this->Pick(0, 1));
    p.ceil_mode = this->Pick(0, 1) == 1;
    if (!PreparedInt8Pool::Supports(p, x_shape)) continue;
    ASSERT_TRUE(MaxPoolShape(p, x_shape, &y_shape).ok());
    const auto x = this->template Draw<X>(x_shape);
    Dense<X> expected(y_shape), y(y_shape);
    MaxPool(p, x.In(), expected.Out(), {});
    const ChannelsLast layout{this->Pick(0, 1) == 1, this->Pick(0, 1) == 1};
    PreparedInt8Pool pool;
    ASSERT_TRUE(pool.Init(this->context_, p, x_shape, layout).ok());
    const Dense<X> placed = Placed(x, layout.x);
    ASSERT_TRUE(pool.Run(placed.In().data, y.Out().data, this->Scratch(pool.ScratchBytes())).ok());
    ASSERT_EQ(y.Values(), Placed(expected, layout.y).Values());
    ++checked;
  }
  EXPECT_GT(checked, 30);
}

TYPED_TEST(Int8OperatorsTest, QuantisationIsThePlainKernel) {
  using X = typename TypeParam::X;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values = {0.25f,  -0.25f,  0.75f,     1e30f, -1e30f,
                               63.75f, -64.25f, kInfinity, kNan};
  for (int i = -500; i < 500; ++i) values.push_back(0.173f * static_cast<float>(i));
  const Shape shape{static_cast<std::int64_t>(values.size())};
  const Dense<float> x(shape, values), scale({}, {0.5f});
  const auto zero = this->template Draw<X>({});
  Dense<X> expected(shape), y(shape);
  QuantizeLinear(QuantizeLinearParams(), x.In(), scale.In(), zero.In(), expected.Out());
  QuantizeTensor(QuantizeLinearParams(), x.In(), scale.In(), zero.In(), y.Out());
  EXPECT_EQ(y.Values(), expected.Values());
  Dense<float> expected_reals(shape), reals(shape);
  DequantizeLinear(DequantizeLinearParams(), y.In(), scale.In(), zero.In(), expected_reals.Out());
  DequantizeTensor(DequantizeLinearParams(), y.In(), scale.In(), zero.In(), reals.Out());
  EXPECT_EQ(reals.Values(), expected_reals.Values());
}

// A scale for each index of an axis, and for each block of 3 indices of it.
TYPED_TEST(Int8OperatorsTest, QuantisationByManyScalesIsThePlainKernel) {
  using X = typename TypeParam::X;
  const Shape shape{3, 7, 41};
  const Dense<float> x(shape, this->PreparedTest::Draw(NumElements(shape), 40.0f));
  for (const std::int64_t block : {0, 3}) {
    for (std::int64_t axis = -1; axis < 3; ++axis) {
      const int place = static_cast<int>(axis < 0 ? 2 : axis);
      Shape scales{shape[place]};
      if (block > 0) {
        scales = shape;
        scales[place] = (shape[place] + block - 1) / block;
      }
      std::vector<float> steps = this->PreparedTest::Draw(NumElements(scales), 0.4f);
      for (float& step : steps) step += 0.5f;
      const Dense<float> scale(scales, steps);
      const auto drawn = this->template Draw<X>(scales);
      for (const TensorView<const X>& zero : {drawn.In(), TensorView<const X>()}) {
        Dense<X> expected(shape), y(shape);
        const QuantizeLinearParams quantize{axis, block};
        QuantizeLinear(quantize, x.In(), scale.In(), zero, expected.Out());
        QuantizeTensor(quantize, x.In(), scale.In(), zero, y.Out());
        EXPECT_EQ(y.Values(), expected.Values()) << "axis " << axis << ", block " << block;
        Dense<float> expected_reals(shape), reals(shape);
        const DequantizeLinearParams dequantize{axis, block};
        DequantizeLinear(dequantize, y.In(), scale.In(), zero, expected_reals.Out());
        DequantizeTensor(dequantize, y.In(), scale.In(), zero, reals.Out());
        EXPECT_EQ(reals.Values(), expected_reals.Values()) << "axis " << axis;
      }
    }
  }
}

TEST(DynamicQuantizeTensorTest, IsThePlainKernel) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> line;
  for (int i = -50; i < 70; ++i) line.push_back(0.173f * static_cast<float>(i));
  std::vector<std::vector<float>> cases = {line,           {},      {0.0f, -0.0f}, {3.5f},
                                           {-2.0f, -1.0f}, {1e-39f}};
  cases.push_back(line);
  cases.back()[33] = kNan;
  cases.push_back({1.0f, kInfinity});
  cases.push_back({1.0f, -kInfinity, -3.0f});
  for (const std::vector<float>& values : cases) {
    const Shape shape{static_cast<std::int64_t>(values.size())};
    const Dense<float> x(shape, values);
    Dense<std::uint8_t> y[2] = {Dense<std::uint8_t>(shape), Dense<std::uint8_t>(shape)};
    Dense<std::uint8_t> zero[2] = {Dense<std::uint8_t>({}), Dense<std::uint8_t>({})};
    Dense<float> scale[2] = {Dense<float>({}), Dense<float>({})};
    DynamicQuantizeLinear(x.In(), y[0].Out(), scale[0].Out(), zero[0].Out());
    DynamicQuantizeTensor(x.In(), y[1].Out(), scale[1].Out(), zero[1].Out());
    EXPECT_EQ(y[0].Values(), y[1].Values());
    EXPECT_EQ(zero[0].Values(), zero[1].Values());
    EXPECT_EQ(scale[0].Values(), scale[1].Values());
  }
}

TEST(Int8EpilogueTest, ScalesThatDoNotFitAreRefused) {
  const Dense<float> three({3}, {1.0f, 2.0f, 3.0f});
  Int8Epilogue epilogue;
  epilogue.w_scale = three.In();
  Int8Finisher finisher;
  EXPECT_FALSE(finisher.Init(epilogue, 4).ok());
  EXPECT_TRUE(finisher.Init(epilogue, 3).ok());
}

// Skipped where a loop was not reached by the tests above (docs/emulated-processors.md).
TEST(Int8KernelsTest, AllCanRunHere) {
  std::string missing;
  for (const std::string name : {"int8:avx512_vnni", "int8:avx512", "int8:avx2", "int8:portable"}) {
    bool usable = false;
    for (const Int8Kernel* kernel : UsableInt8Kernels()) usable = usable || name == kernel->name;
    if (!usable) missing += " " + name;
  }
  if (!missing.empty()) GTEST_SKIP() << "not for this processor:" << missing;
}

TEST(Int8KernelsTest, FactorsThatFitBytesStayBytes) {
  const Shape a{2, 3}, b{3, 2};
  const std::vector<std::uint8_t> weights = {0, 128, 255, 130, 120, 128}, zeros = {128, 120};
  const auto implementation = [&](std::int64_t num_zeros) {
    PreparedInt8MatMul product;
    const Int8View zero(TensorView<const std::uint8_t>{zeros.data(), Shape{num_zeros}});
    EXPECT_TRUE(product.Init({}, a, b, weights.data(), zero, {}, kBytes).ok());
    return std::string(product.Implementation());
  };
  EXPECT_EQ(implementation(0), "by element");
  EXPECT_EQ(implementation(1), "by element:bytes");
  EXPECT_EQ(implementation(2), "by element:bytes");
}

// Where sums could leave the range in which larger tiles are exact, smaller ones are chosen.
TEST(Int8WinogradTest, TheSizeOfTilesDependsOnTheMagnitudeOfTheWeights) {
  const ConvParams p{AutoPad::kNotSet, {}, 1, {}, {1, 1, 1, 1}, {}};
  const Shape x{1, 192, 16, 16}, w{16, 192, 3, 3};
  Window window;
  ASSERT_TRUE(ConvWindow(p, x, w, &window).ok());
  for (const auto& [weight, tile] : {std::pair{30, 4}, std::pair{127, 2}}) {
    const std::vector<std::int8_t> values(16 * 192 * 9, static_cast<std::int8_t>(weight));
    const Int8Filter filter{values.data(), {}, 192, 16};
    EXPECT_EQ(Int8Winograd::ChooseTile(Int8Image(window, 192), filter), tile);
  }
}

}  // namespace
}  // namespace dragoman::rt

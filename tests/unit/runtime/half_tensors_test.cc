// SPDX-License-Identifier: Apache-2.0
// Operators whose tensors are in bf16 against the plain kernels in f32, on the same numbers.
#include "runtime/fast/half_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/fast/conv.h"
#include "runtime/fast/half_panels.h"
#include "runtime/fast/layout.h"
#include "runtime/fast/linear.h"
#include "runtime/fast/map.h"
#include "runtime/fast/normalize_rows.h"
#include "runtime/fast/packed_linear.h"
#include "runtime/fast/pool.h"
#include "runtime/fast/threads.h"
#include "runtime/kernels/binary.h"
#include "runtime/kernels/conv.h"
#include "runtime/kernels/layer_normalization.h"
#include "runtime/kernels/linear.h"
#include "runtime/kernels/max_pool.h"
#include "tests/unit/runtime/prepared_test.h"

namespace dragoman::rt {
namespace {

constexpr float kRounding = 1.0f / 256;  // of a number to bf16, relative

std::vector<BFloat16> Halves(const std::vector<float>& values) {
  std::vector<BFloat16> halves(values.size());
  Narrow(values.data(), static_cast<std::int64_t>(values.size()), halves.data());
  return halves;
}

std::vector<float> Floats(const std::vector<BFloat16>& halves) {
  return std::vector<float>(halves.begin(), halves.end());
}

// A tensor in f32 or bf16, of numbers that both have.
class Either {
 public:
  Either(Precision type, const std::vector<float>& values)
      : type_(type), half_(Halves(values)), wide_(Floats(half_)) {}

  Precision type() const { return type_; }
  const std::vector<float>& wide() const { return wide_; }
  void* data() {
    return type_ == Precision::kF32 ? static_cast<void*>(wide_.data()) : half_.data();
  }
  WeightData weights() const {
    return type_ == Precision::kF32 ? WeightData(wide_.data()) : WeightData(half_.data());
  }
  // What was stored at data().
  std::vector<float> Stored() const { return type_ == Precision::kF32 ? wide_ : Floats(half_); }

 private:
  Precision type_;
  std::vector<BFloat16> half_;
  std::vector<float> wide_;
};

void ExpectNear(const std::vector<float>& expected, const std::vector<float>& actual) {
  ASSERT_EQ(expected.size(), actual.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(expected[i], actual[i], 2e-5f + kRounding * std::fabs(expected[i]))
        << "element " << i;
  }
}

class HalfTensorsTest : public PreparedTest {
 protected:
  Precision PickType() { return Pick(0, 1) == 1 ? Precision::kBF16 : Precision::kF32; }
  Either Drawn(const Shape& shape) { return Either(PickType(), Draw(shape)); }
  static TensorView<const float> View(const Either& tensor, const Shape& shape) {
    return {tensor.wide().data(), shape};
  }
};

TEST_F(HalfTensorsTest, RoundsToTheNearestOnce) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {0.0f,        -0.0f,     1.0f,     1.00390625f,
                                     1.01171875f, -infinity, 3.4e+38f, -3e-38f};
  const std::vector<BFloat16> halves = Halves(values);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(halves[i].bits, BFloat16(values[i]).bits) << values[i];
  EXPECT_TRUE(std::isnan(Floats(Halves({std::nanf("")}))[0]));
}

TEST_F(HalfTensorsTest, CopiesAreMadeOfWhatIsInHalf) {
  const Shape size{3};
  const std::vector<BFloat16> x = Halves({1.0f, 2.0f, 4.0f}), added = Halves({0.5f, 0.25f, 3.0f});
  std::vector<BFloat16> y(3);
  WideCopies copies;
  copies.Create({Precision::kBF16, Precision::kBF16}, 3, 3, 64);
  EXPECT_EQ(copies.ScratchBytes(), 3 * 64);
  const auto add = [&](const void* a, const void* b, void* sum) {
    Add<float>({static_cast<const float*>(a), size}, {static_cast<const float*>(b), size},
               {static_cast<float*>(sum), size});
    return Status();
  };
  EXPECT_TRUE(copies.Run(x.data(), added.data(), y.data(), Scratch(192), add).ok());
  EXPECT_EQ(Floats(y), (std::vector<float>{1.5f, 2.25f, 7.0f}));
}

TEST_F(HalfTensorsTest, ConvIsThePlainKernel) {
  for (int n = 0; n < 150; ++n) {
    ConvParams p;
    p.group = Pick(1, 2) == 1 ? 1 : 4;
    p.pads = {Pick(0, 2), Pick(0, 2), Pick(0, 2), Pick(0, 2)};
    p.strides = {Pick(1, 2), Pick(1, 2)};
    p.dilations = {Pick(1, 2), Pick(1, 2)};
    const Shape x{Pick(1, 2), 4 * Pick(1, 8), Pick(7, 12), Pick(7, 12)};
    const Shape w{4 * Pick(1, 8), x[1] / p.group, Pick(1, 3), Pick(1, 3)};
    Shape y;
    ASSERT_TRUE(ConvShape(p, x, w, &y).ok());
    PostOps post;
    post.residual = Pick(0, 1) == 1;
    Either from = Drawn(x), to = Drawn(y), weights = Drawn(w);
    Either added(to.type(), Draw(y));
    std::vector<float> plain(to.wide().size());
    Conv<float>(p, View(from, x), View(weights, w), {}, {plain.data(), y});
    for (std::size_t i = 0; post.residual && i < plain.size(); ++i) plain[i] += added.wide()[i];
    PreparedConv conv;
    ASSERT_TRUE(
        conv.Init(context_, p, x, w, weights.weights(), nullptr, post, {}, {from.type(), to.type()})
            .ok());
    ASSERT_TRUE(conv.Run(from.data(), added.data(), to.data(), Scratch(conv.ScratchBytes())).ok());
    ExpectNear(plain, to.Stored());
  }
}

// Large enough for Winograd's algorithm, which takes tensors in bf16, too.
TEST_F(HalfTensorsTest, ConvOfLargeImagesIsThePlainKernel) {
  for (int n = 0; n < 4; ++n) {
    ConvParams p;
    p.pads = {1, 1, 1, 1};
    const Shape x{1, 16 * Pick(2, 4), 30, 29}, w{16 * Pick(2, 4), x[1], 3, 3};
    const Shape y{1, w[0], 30, 29};
    PostOps post;
    post.residual = n % 2 == 0;
    Either from(Precision::kBF16, Draw(x)), to(n < 2 ? Precision::kBF16 : Precision::kF32, Draw(y));
    Either weights(Precision::kBF16, Draw(NumElements(w), 0.05f)), added(to.type(), Draw(y));
    std::vector<float> plain(to.wide().size());
    Conv<float>(p, View(from, x), View(weights, w), {}, {plain.data(), y});
    for (std::size_t i = 0; post.residual && i < plain.size(); ++i) plain[i] += added.wide()[i];
    PreparedConv conv;
    ASSERT_TRUE(
        conv.Init(context_, p, x, w, weights.weights(), nullptr, post, {}, {from.type(), to.type()})
            .ok());
    if (!dnnl_compat::Uses(dnnl::cpu_isa::avx512_core_amx)) {
      EXPECT_STREQ(conv.Implementation(), "own winograd");
    }
    ASSERT_TRUE(conv.Run(from.data(), added.data(), to.data(), Scratch(conv.ScratchBytes())).ok());
    ExpectNear(plain, to.Stored());
  }
}

TEST_F(HalfTensorsTest, LinearIsThePlainKernel) {
  for (int n = 0; n < 100; ++n) {
    const LinearSizes sizes{Pick(1, 20), Pick(1, 90), Pick(1, 90), false};
    const Shape x{sizes.rows, sizes.in}, w{sizes.out, sizes.in}, y{sizes.rows, sizes.out};
    PostOps post;
    post.residual = Pick(0, 1) == 1;
    Either from = Drawn(x), to = Drawn(y), weights = Drawn(w);
    Either added(to.type(), Draw(y));
    std::vector<float> plain(to.wide().size());
    Linear<float>(View(from, x), View(weights, w), {}, {plain.data(), y});
    for (std::size_t i = 0; post.residual && i < plain.size(); ++i) plain[i] += added.wide()[i];
    PreparedLinear linear;
    ASSERT_TRUE(
        linear.Init(context_, sizes, weights.weights(), nullptr, post, {from.type(), to.type()})
            .ok());
    ASSERT_TRUE(
        linear.Run(from.data(), added.data(), to.data(), Scratch(linear.ScratchBytes())).ok());
    ExpectNear(plain, to.Stored());
  }
}

TEST_F(HalfTensorsTest, PoolsAreExact) {
  for (int n = 0; n < 50; ++n) {
    const Shape x{Pick(1, 2), Pick(1, 20), Pick(4, 9), Pick(4, 9)};
    MaxPoolParams p;
    p.kernel_shape = {Pick(1, 3), Pick(1, 3)};
    Shape y;
    ASSERT_TRUE(MaxPoolShape(p, x, &y).ok());
    Either from = Drawn(x);
    Either to(from.type(), Draw(y));
    std::vector<float> plain(to.wide().size());
    MaxPool<float>(p, View(from, x), {plain.data(), y}, {});
    PreparedPool pool;
    ASSERT_TRUE(pool.Init(context_, p, x, {}, {from.type(), to.type()}).ok());
    ASSERT_TRUE(pool.Run(from.data(), to.data(), Scratch(pool.ScratchBytes())).ok());
    EXPECT_EQ(plain, to.Stored());
  }
}

TEST_F(HalfTensorsTest, LoopsRoundTheirResults) {
  for (const Shape& other : {Shape{2, 5, 40, 50}, Shape{5, 1, 1}, Shape{1}, Shape{40, 1}}) {
    const Shape shape{2, 5, 40, 50};
    const std::vector<BFloat16> a = Halves(Draw(shape)), b = Halves(Draw(other));
    std::vector<BFloat16> sum(a.size());
    std::vector<float> difference(a.size()), wide(a.size()), wide_difference(a.size());
    const auto body = [](float p, float q, float& s, float& d) {
      s = p + q;
      d = p - q;
    };
    Map(body,
        Operands(TensorView<const BFloat16>{a.data(), shape},
                 TensorView<const BFloat16>{b.data(), other}),
        Results(TensorView<BFloat16>{sum.data(), shape},
                TensorView<float>{difference.data(), shape}));
    const std::vector<float> wide_a = Floats(a), wide_b = Floats(b);
    Map(body,
        Operands(TensorView<const float>{wide_a.data(), shape},
                 TensorView<const float>{wide_b.data(), other}),
        Results(TensorView<float>{wide.data(), shape},
                TensorView<float>{wide_difference.data(), shape}));
    EXPECT_EQ(Floats(sum), Floats(Halves(wide)));
    EXPECT_EQ(difference, wide_difference);
  }
}

// Blocks that are partly filled stay zeros after the last channel.
TEST_F(HalfTensorsTest, LaidOutTensorsAreAsInF32) {
  const Shape shape{2, 20, 3, 5};
  const std::int64_t size = BlockedSizes(shape, 16).size();
  const std::vector<BFloat16> laid = Halves(Draw(size));
  const std::vector<float> wide_laid = Floats(laid);
  std::vector<BFloat16> plain(600), doubled(laid.size(), BFloat16(3.0f));
  std::vector<float> wide(600), from_half(600), means(40), wide_means(40);
  CopyToRowMajor(16, {wide_laid.data(), shape}, {wide.data(), shape});
  CopyToRowMajor(16, {laid.data(), shape}, {plain.data(), shape});
  CopyToRowMajor(16, {laid.data(), shape}, {from_half.data(), shape});
  EXPECT_EQ(Floats(plain), wide);
  EXPECT_EQ(from_half, wide);
  ChannelMeans(16, {wide_laid.data(), shape}, {wide_means.data(), {2, 20, 1, 1}});
  ChannelMeans(16, {laid.data(), shape}, {means.data(), {2, 20, 1, 1}});
  EXPECT_EQ(means, wide_means);
  MapBlocked(
      16, [](float x, float& y) { y = 2.0f * x; },
      Operands(TensorView<const BFloat16>{laid.data(), shape}),
      Results(TensorView<BFloat16>{doubled.data(), shape}));
  for (std::int64_t i = 0; i < size; ++i) {
    const bool is_used = i / (16 * 15) % 2 == 0 || i % 16 < 4;
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(doubled[at], is_used ? 2.0f * wide_laid[at] : 0.0f) << i;
  }
}

TEST_F(HalfTensorsTest, NormalizationIsThePlainKernel) {
  const Shape shape{7, 100};
  const std::vector<float> scale = Draw(100), bias = Draw(100);
  const TensorView<const float> by{scale.data(), {100}}, plus{bias.data(), {100}};
  for (int n = 0; n < 4; ++n) {
    Either x = Drawn(shape), y = Drawn(shape);
    std::vector<float> plain(700);
    const LayerNormalizationParams p;
    LayerNormalization<float, float>(p, View(x, shape), by, plus, {plain.data(), shape}, {}, {});
    const FloatSource from = x.type() == Precision::kF32
                                 ? FloatSource(static_cast<const float*>(x.data()), shape)
                                 : FloatSource(static_cast<const BFloat16*>(x.data()), shape);
    const FloatTarget to = y.type() == Precision::kF32
                               ? FloatTarget(static_cast<float*>(y.data()), shape)
                               : FloatTarget(static_cast<BFloat16*>(y.data()), shape);
    LayerNormalizationRows(p, from, by, plus, to, {}, {});
    ExpectNear(plain, y.Stored());
  }
}

TEST_F(HalfTensorsTest, PanelsAreThePlainKernel) {
  if (!HalfPanels::Supported()) GTEST_SKIP() << "the processor has no such instruction";
  for (int n = 0; n < 60; ++n) {
    const std::int64_t rows = Pick(1, 19), outputs = Pick(1, 150);
    const std::int64_t inputs = n % 10 == 0 ? Pick(513, 1500) : Pick(1, 60);
    const Shape x{rows, inputs}, w{outputs, inputs}, y{rows, outputs};
    const Either from(Precision::kBF16, Draw(x)), weights(Precision::kBF16, Draw(w));
    std::vector<float> plain(static_cast<std::size_t>(rows * outputs)), product(plain.size());
    Linear<float>(View(from, x), View(weights, w), {}, {plain.data(), y});
    HalfPanels panels;
    panels.Pack(weights.wide().data(), inputs, 1, nullptr, outputs, inputs, rows);
    panels.RunRows(rows, from.wide().data(), product.data());
    for (std::size_t i = 0; i < plain.size(); ++i)
      ASSERT_NEAR(plain[i], product[i], 1e-4f) << rows << " " << inputs << " " << outputs;
  }
}

// With a bias, and a residual sum before or after the activation, in place; on any processor.
TEST_F(HalfTensorsTest, ProductsOfAnyRowsAreThePlainKernel) {
  for (const int threads : {1, 3}) {
    SetThreads(threads);
    for (int n = 0; n < 40; ++n) {
      const std::int64_t inputs = n % 8 == 0 ? Pick(513, 1500) : Pick(1, 60);
      const std::int64_t outputs = n % 8 == 1 ? Pick(300, 900) : Pick(1, 150);
      const bool in_first = n % 2 == 0;
      const Shape w{outputs, inputs};
      const Either weights(Precision::kBF16, Draw(w));
      const std::vector<float> bias = Draw({outputs});
      std::vector<BFloat16> laid_out;
      for (std::int64_t i = 0; i < inputs * outputs; ++i) {
        const std::int64_t at = in_first ? i % outputs * inputs + i / outputs : i;
        laid_out.emplace_back(weights.wide()[static_cast<std::size_t>(at)]);
      }
      PostOps post;
      post.residual = true;
      post.activation_first = n % 3 == 0;
      post.activation = FusedActivation::kRelu;
      PackedLinear linear;
      ASSERT_TRUE(
          linear.Init(context_, inputs, outputs, in_first, laid_out.data(), bias.data(), post)
              .ok());
      Memory scratch;
      for (const std::int64_t rows : {1, 19, 2, 0, 65}) {
        const Shape x{rows, inputs}, y{rows, outputs};
        const Either from(Precision::kBF16, Draw(x));
        std::vector<float> product = Draw(y), expected(product.size());
        Linear<float>(View(from, x), View(weights, w), {bias.data(), {outputs}},
                      {expected.data(), y});
        for (std::size_t i = 0; i < expected.size(); ++i) {
          expected[i] = post.activation_first ? std::max(expected[i], 0.0f) + product[i]
                                              : std::max(expected[i] + product[i], 0.0f);
        }
        ASSERT_TRUE(linear.Run(View(from, x), product.data(), {product.data(), y}, scratch).ok());
        for (std::size_t i = 0; i < expected.size(); ++i)
          ASSERT_NEAR(expected[i], product[i], 1e-4f) << rows << " " << inputs << " " << outputs;
      }
    }
  }
  SetThreads(1);
}

}  // namespace
}  // namespace dragoman::rt

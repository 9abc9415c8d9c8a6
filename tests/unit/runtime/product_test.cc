// SPDX-License-Identifier: Apache-2.0
// MatMul, Gemm, Linear and the quantised products.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "runtime/kernels/gemm.h"
#include "runtime/kernels/linear.h"
#include "runtime/kernels/mat_mul.h"
#include "runtime/kernels/mat_mul_integer.h"
#include "runtime/kernels/q_linear_mat_mul.h"

namespace dragoman::rt {
namespace {

template <class T>
std::vector<T> Count(std::int64_t count) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<T>(i % 11 - 5));
  return values;
}

template <class T>
std::vector<T> Product(const Shape& a, const std::vector<T>& da, const Shape& b,
                       const std::vector<T>& db) {
  Shape y;
  EXPECT_TRUE(MatMulShape(a, b, &y).ok());
  std::vector<T> result(static_cast<std::size_t>(NumElements(y)));
  MatMul<T>({da.data(), a}, {db.data(), b}, {result.data(), y});
  return result;
}

TEST(MatMul, SizesFollowNumPy) {
  Shape y;
  const auto shape = [&](const Shape& a, const Shape& b) {
    EXPECT_TRUE(MatMulShape(a, b, &y).ok());
    return y;
  };
  EXPECT_EQ(shape({3}, {3}), Shape{});
  EXPECT_EQ(shape({2, 3}, {3}), Shape{2});
  EXPECT_EQ(shape({3}, {5, 3, 4}), (Shape{5, 4}));
  EXPECT_EQ(shape({7, 1, 2, 3}, {5, 3, 4}), (Shape{7, 5, 2, 4}));
  EXPECT_FALSE(MatMulShape({}, {3}, &y).ok());
  EXPECT_FALSE(MatMulShape({2, 3}, {2, 3}, &y).ok());
  EXPECT_FALSE(MatMulShape({2, 2, 3}, {4, 3, 3}, &y).ok());
}

TEST(MatMul, VectorsAndEmptySums) {
  EXPECT_EQ(Product<float>({3}, {1, 2, 3}, {3}, {4, 5, 6}), (std::vector<float>{32}));
  EXPECT_EQ(Product<float>({2}, {1, 2}, {2, 2}, {1, 2, 3, 4}), (std::vector<float>{7, 10}));
  EXPECT_EQ(Product<float>({2, 2}, {1, 2, 3, 4}, {2}, {1, 10}), (std::vector<float>{21, 43}));
  EXPECT_EQ(Product<float>({1, 0}, {}, {0, 2}, {}), (std::vector<float>{0, 0}));
}

// Sizes beyond one tile, and a batch that broadcasts on both sides, by the definition.
TEST(MatMul, TilesAndBatches) {
  const Shape a{2, 1, 37, 21}, b{3, 21, 70};
  const auto da = Count<std::int64_t>(NumElements(a)), db = Count<std::int64_t>(NumElements(b));
  const std::vector<std::int64_t> y = Product(a, da, b, db);
  for (std::int64_t i = 0; i < 2 * 3 * 37 * 70; ++i) {
    const std::int64_t column = i % 70, row = i / 70 % 37, inner = i / 70 / 37 % 3;
    const std::int64_t outer = i / 70 / 37 / 3;
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < 21; ++k) {
      sum += da[(outer * 37 + row) * 21 + k] * db[(inner * 21 + k) * 70 + column];
    }
    ASSERT_EQ(y[i], sum) << i;
  }
}

TEST(MatMul, IntegersWrap) {
  EXPECT_EQ(Product<std::int32_t>({1, 2}, {1 << 30, 1}, {2, 1}, {4, 5}),
            (std::vector<std::int32_t>{5}));
  EXPECT_EQ(Product<std::uint64_t>({1}, {UINT64_MAX}, {1}, {2}),
            (std::vector<std::uint64_t>{UINT64_MAX - 1}));
}

TEST(Gemm, EveryTransposition) {
  const std::int64_t m = 18, n = 67, depth = 19;
  for (int flags = 0; flags < 4; ++flags) {
    GemmParams p;
    p.transA = flags % 2 == 1;
    p.transB = flags / 2 == 1;
    p.alpha = 0.5f;
    p.beta = 2.0f;
    const Shape a = p.transA ? Shape{depth, m} : Shape{m, depth};
    const Shape b = p.transB ? Shape{n, depth} : Shape{depth, n};
    const auto da = Count<double>(m * depth), db = Count<double>(depth * n), dc = Count<double>(n);
    std::vector<double> y(static_cast<std::size_t>(m * n));
    Gemm<double>(p, {da.data(), a}, {db.data(), b}, {dc.data(), {n}}, {y.data(), {m, n}});
    for (std::int64_t i = 0; i < m * n; ++i) {
      double sum = 0;
      for (std::int64_t k = 0; k < depth; ++k) {
        sum += da[p.transA ? k * m + i / n : i / n * depth + k] *
               db[p.transB ? i % n * depth + k : k * n + i % n];
      }
      ASSERT_EQ(y[i], 0.5 * sum + 2.0 * dc[i % n]) << "flags " << flags << ", element " << i;
    }
  }
}

TEST(Gemm, TheAddendBroadcasts) {
  const std::vector<float> a{1, 2}, b{1, 10}, c{100, 200};
  std::vector<float> y(4);
  const auto run = [&](const Shape& shape) {
    Gemm<float>({}, {a.data(), {2, 1}}, {b.data(), {1, 2}}, {c.data(), shape}, {y.data(), {2, 2}});
    return y;
  };
  EXPECT_EQ(run({}), (std::vector<float>{101, 110, 102, 120}));
  EXPECT_EQ(run({1}), (std::vector<float>{101, 110, 102, 120}));
  EXPECT_EQ(run({2}), (std::vector<float>{101, 210, 102, 220}));
  EXPECT_EQ(run({1, 2}), (std::vector<float>{101, 210, 102, 220}));
  EXPECT_EQ(run({2, 1}), (std::vector<float>{101, 110, 202, 220}));
}

TEST(Gemm, IntegersWrapAndAreTruncatedWhenScaled) {
  const std::vector<std::int32_t> a{7}, b{3}, c{2};
  std::int32_t y = 0;
  GemmParams p;
  Gemm<std::int32_t>(p, {a.data(), {1, 1}}, {b.data(), {1, 1}}, {c.data(), {1}}, {&y, {1, 1}});
  EXPECT_EQ(y, 23);
  p.alpha = 0.5f;
  Gemm<std::int32_t>(p, {a.data(), {1, 1}}, {b.data(), {1, 1}}, {c.data(), {1}}, {&y, {1, 1}});
  EXPECT_EQ(y, 12);
  Shape shape;
  EXPECT_FALSE(GemmShape(p, {2, 3}, {2, 3}, &shape).ok());
}

TEST(Linear, RoundsOnceAfterTheBias) {
  // 2048 + 1 + 1 in half: the bias alone would be lost.
  const std::vector<Half> x{Half(1.0f), Half(1.0f)}, w{Half(2048.0f), Half(1.0f)}, b{Half(1.0f)};
  Half y;
  Linear<Half>({x.data(), {1, 2}}, {w.data(), {1, 2}}, {b.data(), {1}}, {&y, {1, 1}});
  EXPECT_EQ(static_cast<float>(y), 2050.0f);
}

TEST(MatMulInteger, ZeroPointsOfRowsAndColumns) {
  const std::vector<std::uint8_t> a{11, 7, 3, 10, 6, 2};
  const std::vector<std::int8_t> b{1, -4, 2, 5};
  const std::vector<std::uint8_t> a_zero{12, 1, 2};
  const std::vector<std::int8_t> b_zero{1, -1};
  std::vector<std::int32_t> y(6);
  MatMulInteger<std::uint8_t, std::int8_t>({a.data(), {3, 2}}, {b.data(), {2, 2}},
                                           {a_zero.data(), {3}}, {b_zero.data(), {2}},
                                           {y.data(), {3, 2}});
  EXPECT_EQ(y, (std::vector<std::int32_t>{-5, -27, 9, 48, 0, -12}));
}

// The suite's test_qlinearmatmul_2D.
TEST(QLinearMatMul, IsTheSuites) {
  const std::vector<std::uint8_t> a{208, 236, 0, 238, 3, 214, 255, 29};
  const std::vector<std::uint8_t> b{152, 51, 244, 60, 26, 255, 0, 127, 246, 127, 254, 247};
  const std::uint8_t a_zero = 113, b_zero = 114, y_zero = 118;
  const float a_scale = 0.0066f, b_scale = 0.00705f, y_scale = 0.0107f;
  std::vector<std::uint8_t> y(6);
  QLinearMatMul<std::uint8_t, float, std::uint8_t, std::uint8_t>(
      {a.data(), {2, 4}}, {&a_scale, {1}}, {&a_zero, {1}}, {b.data(), {4, 3}}, {&b_scale, {1}},
      {&b_zero, {1}}, {&y_scale, {1}}, {&y_zero, {1}}, {y.data(), {2, 3}});
  EXPECT_EQ(y, (std::vector<std::uint8_t>{168, 115, 255, 1, 66, 151}));
}

TEST(Requantize, RoundsHalfToEvenAndSaturates) {
  EXPECT_EQ(Requantize<std::uint8_t>(2.5f, 0), 2);
  EXPECT_EQ(Requantize<std::uint8_t>(3.5f, 0), 4);
  EXPECT_EQ(Requantize<std::uint8_t>(-1.0f, 0), 0);
  EXPECT_EQ(Requantize<std::int8_t>(1e30f, -3), 127);
}

}  // namespace
}  // namespace dragoman::rt

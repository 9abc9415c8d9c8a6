// SPDX-License-Identifier: Apache-2.0
// The pools: numbers of torch and of the ONNX suite, and what both leave open.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/kernels/average_pool.h"
#include "runtime/kernels/global_average_pool.h"
#include "runtime/kernels/global_lp_pool.h"
#include "runtime/kernels/global_max_pool.h"
#include "runtime/kernels/lp_pool.h"
#include "runtime/kernels/max_pool.h"
#include "runtime/kernels/max_unpool.h"

namespace dragoman::rt {
namespace {

std::vector<float> Average(const AveragePoolParams& p, std::vector<float> x) {
  const Shape shape{1, 1, static_cast<std::int64_t>(x.size())};
  Shape y;
  EXPECT_TRUE(AveragePoolShape(p, shape, &y).ok());
  std::vector<float> result(static_cast<std::size_t>(NumElements(y)));
  AveragePool<float>(p, {x.data(), shape}, {result.data(), y});
  return result;
}

void ExpectNear(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-4f) << i;
}

TEST(AveragePool, CountsWhatTorchCounts) {
  AveragePoolParams p;
  p.kernel_shape = {3};
  p.strides = {2};
  p.pads = {1, 1};
  p.ceil_mode = true;
  ExpectNear(Average(p, {1, 5, 2, 8, 3, 9, 4}), {3, 5, 6.6667f, 6.5f});
  ExpectNear(Average(p, {1, 5, 2, 8, 3, 9}), {3, 5, 6.6667f, 9});
  p.count_include_pad = true;
  ExpectNear(Average(p, {1, 5, 2, 8, 3, 9, 4}), {2, 5, 6.6667f, 4.3333f});
  // The last window starts at 9 and has one tap in the padding, one beyond it.
  ExpectNear(Average(p, {1, 5, 2, 8, 3, 9}), {2, 5, 6.6667f, 4.5f});
  p.kernel_shape = {4};
  p.strides = {3};
  ExpectNear(Average(p, {1, 5, 2, 8, 3, 9}), {2, 5.5f, 4.5f});
}

TEST(AveragePool, DilationSkipsElements) {
  AveragePoolParams p;
  p.kernel_shape = {2};
  p.dilations = {3};
  ExpectNear(Average(p, {1, 2, 3, 4, 5}), {2.5f, 3.5f});
}

TEST(AveragePool, HalfSumsInFloat) {
  AveragePoolParams p;
  p.kernel_shape = {4};
  const std::vector<Half> x{Half(60000.0f), Half(60000.0f), Half(60000.0f), Half(4.0f)};
  Half y;
  AveragePool<Half>(p, {x.data(), {1, 1, 4}}, {&y, {1, 1, 1}});
  EXPECT_EQ(static_cast<float>(y), 44992.0f);  // 45001 rounded to half
}

// Of the plane 1..25, as in the suite's test_maxpool_with_argmax_2d_precomputed_*.
struct ArgMax {
  std::vector<float> values;
  std::vector<std::int64_t> indices;
};
ArgMax MaxOf25(const MaxPoolParams& p, std::int64_t planes = 1) {
  std::vector<float> x;
  for (int i = 0; i < 25 * planes; ++i) x.push_back(static_cast<float>(i % 25 + 1));
  const Shape shape{1, planes, 5, 5};
  Shape y;
  EXPECT_TRUE(MaxPoolShape(p, shape, &y).ok());
  ArgMax result;
  result.values.resize(static_cast<std::size_t>(NumElements(y)));
  result.indices.resize(result.values.size());
  MaxPool<float>(p, {x.data(), shape}, {result.values.data(), y}, {result.indices.data(), y});
  return result;
}

TEST(MaxPool, IndicesCountInTheWholeTensor) {
  MaxPoolParams p;
  p.kernel_shape = {2, 2};
  p.strides = {2, 2};
  const ArgMax rows = MaxOf25(p, 2);
  EXPECT_EQ(rows.values, (std::vector<float>{7, 9, 17, 19, 7, 9, 17, 19}));
  EXPECT_EQ(rows.indices, (std::vector<std::int64_t>{6, 8, 16, 18, 31, 33, 41, 43}));
  p.storage_order = 1;
  EXPECT_EQ(MaxOf25(p).indices, (std::vector<std::int64_t>{6, 16, 8, 18}));
}

TEST(MaxPool, PaddingNeverWins) {
  MaxPoolParams p;
  p.kernel_shape = {2};
  p.pads = {1, 1};
  const std::vector<std::int8_t> x{-128, -5, -7};
  std::vector<std::int8_t> y(4);
  MaxPool<std::int8_t>(p, {x.data(), {1, 1, 3}}, {y.data(), {1, 1, 4}}, {});
  EXPECT_EQ(y, (std::vector<std::int8_t>{-128, -5, -5, -7}));
}

TEST(MaxPool, TheFirstOfEqualsIsIndexedAndNanWins) {
  MaxPoolParams p;
  p.kernel_shape = {3};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x{2, 2, 1, nan};
  std::vector<float> y(2);
  std::vector<std::int64_t> indices(2);
  MaxPool<float>(p, {x.data(), {1, 1, 4}}, {y.data(), {1, 1, 2}}, {indices.data(), {1, 1, 2}});
  EXPECT_EQ(y[0], 2);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(indices, (std::vector<std::int64_t>{0, 3}));
}

TEST(LpPool, IsTheNormOfEachWindow) {
  const std::vector<float> x{3, -4, 12, 0};
  std::vector<float> y(3);
  LpPoolParams p;
  p.kernel_shape = {2};
  LpPool<float>(p, {x.data(), {1, 1, 4}}, {y.data(), {1, 1, 3}});
  ExpectNear(y, {5, 12.6491f, 12});
  p.p = 1;
  LpPool<float>(p, {x.data(), {1, 1, 4}}, {y.data(), {1, 1, 3}});
  ExpectNear(y, {7, 16, 12});
  p.p = 3;
  LpPool<float>(p, {x.data(), {1, 1, 4}}, {y.data(), {1, 1, 3}});
  ExpectNear(y, {4.49794f, 12.14632f, 12});
}

TEST(GlobalPools, ReduceEachPlane) {
  const std::vector<double> x{1, -3, 2, 4, 3, -4, 0, 0};
  const TensorView<const double> view{x.data(), {1, 2, 2, 2}};
  std::vector<double> y(2);
  const TensorView<double> result{y.data(), {1, 2, 1, 1}};
  GlobalAveragePool<double>(view, result);
  EXPECT_EQ(y, (std::vector<double>{1, -0.25}));
  GlobalMaxPool<double>(view, result);
  EXPECT_EQ(y, (std::vector<double>{4, 3}));
  GlobalLpPool<double>({}, view, result);
  EXPECT_DOUBLE_EQ(y[0], std::sqrt(30.0));
  EXPECT_DOUBLE_EQ(y[1], 5);
}

// The suite's test_maxunpool_export_with_output_shape.
TEST(MaxUnpool, IndicesCountInTheInferredSizes) {
  MaxUnpoolParams p;
  p.kernel_shape = {2, 2};
  p.strides = {2, 2};
  const std::vector<float> x{5, 6, 7, 8};
  std::vector<std::int64_t> indices{5, 7, 13, 15};
  std::vector<float> y(25, -1.0f);
  const TensorView<const std::int64_t> places{indices.data(), {1, 1, 2, 2}};
  const TensorView<const float> view{x.data(), {1, 1, 2, 2}};
  const TensorView<float> result{y.data(), {1, 1, 5, 5}};
  ASSERT_TRUE(MaxUnpool<float>(p, view, places, {}, result).ok());
  EXPECT_EQ(y, (std::vector<float>{0, 0, 0, 0, 0, 0, 5, 0, 6, 0, 0, 0, 0,
                                   0, 0, 0, 7, 0, 8, 0, 0, 0, 0, 0, 0}));
  indices[2] = 16;
  EXPECT_FALSE(MaxUnpool<float>(p, view, places, {}, result).ok());
  indices[2] = -1;
  EXPECT_FALSE(MaxUnpool<float>(p, view, places, {}, result).ok());
}

}  // namespace
}  // namespace dragoman::rt

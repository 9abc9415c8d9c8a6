// SPDX-License-Identifier: Apache-2.0
// Loops along rows against the plain kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "runtime/fast/log_softmax_rows.h"
#include "runtime/fast/normalize_rows.h"
#include "runtime/fast/softmax_columns.h"
#include "runtime/fast/softmax_rows.h"
#include "runtime/kernels/layer_normalization.h"
#include "runtime/kernels/softmax.h"
#include "tests/unit/runtime/prepared_test.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kSizes[] = {1, 2, 15, 16, 17, 100, 768};

class RowsTest : public PreparedTest {
 protected:
  void Reset(std::int64_t size) {
    shape_ = {3, 2, size};
    x_ = Draw(6 * size, 4.0f);
    scale_ = Draw(size, 4.0f);
    bias_ = Draw(size, 4.0f);
    plain_.assign(x_.size(), 0.0f);
    fast_.assign(x_.size(), 0.0f);
  }

  void ExpectNear(float tolerance) const {
    for (std::size_t i = 0; i < plain_.size(); ++i)
      ASSERT_NEAR(plain_[i], fast_[i], tolerance * (1.0f + std::fabs(plain_[i]))) << i;
  }

  TensorView<const float> x() const { return {x_.data(), shape_}; }
  TensorView<const float> Row(const std::vector<float>& row) const {
    return {row.data(), {shape_[2]}};
  }
  TensorView<float> To(std::vector<float>& y) const { return {y.data(), shape_}; }

  Shape shape_;
  std::vector<float> x_, scale_, bias_, plain_, fast_;
};

TEST_F(RowsTest, SoftmaxIsThePlainKernel) {
  for (std::int64_t size : kSizes) {
    Reset(size);
    Softmax<float>({}, x(), To(plain_));
    SoftmaxRows({}, x(), To(fast_));
    ExpectNear(2e-6f);
  }
}

// More than are taken together, one of which has NaN.
TEST_F(RowsTest, SoftmaxOfManyShortRowsIsThePlainKernel) {
  for (const std::int64_t size : {1, 2, 7, 15}) {
    Reset(150 * size);
    shape_ = {150, size};
    x_[static_cast<std::size_t>(100 * size)] = std::nanf("");
    Softmax<float>({}, x(), To(plain_));
    SoftmaxRows({}, x(), To(fast_));
    for (std::int64_t i = 100 * size; i < 101 * size; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_TRUE(std::isnan(plain_[at]) && std::isnan(fast_[at])) << i << " of " << size;
      plain_[at] = fast_[at] = 0.0f;
    }
    ExpectNear(2e-6f);
  }
}

// Whose rounded mean is none of them.
TEST_F(RowsTest, EqualElementsAreTheirMean) {
  for (std::int64_t size : {1, 7, 16, 768}) {
    for (float element : {-3e9f, 0.1f, 3e38f}) {
      Reset(size);
      x_.assign(x_.size(), element);
      LayerNormalizationRows({}, FloatSource(x_.data(), shape_), Row(scale_), Row(bias_),
                             FloatTarget(fast_.data(), shape_), {}, {});
      for (std::size_t i = 0; i < fast_.size(); ++i)
        ASSERT_EQ(fast_[i], bias_[i % bias_.size()]) << size << " of " << element;
    }
  }
}

TEST_F(RowsTest, LogSoftmaxIsThePlainKernel) {
  for (std::int64_t size : kSizes) {
    Reset(size);
    LogSoftmax<float>({}, x(), To(plain_));
    LogSoftmaxRows({}, x(), To(fast_));
    ExpectNear(2e-6f);
  }
}

TEST_F(RowsTest, SoftmaxOfColumnsIsThePlainKernel) {
  for (const Shape& shape : {Shape{2, 3, 5, 29}, Shape{1, 7, 130, 1}, Shape{1, 1, 2, 64}}) {
    for (const std::int64_t axis : {0, 1, 2, -1}) {
      SoftmaxParams p;
      p.axis = axis;
      Reset(NumElements(shape));
      shape_ = shape;
      Softmax<float>(p, x(), To(plain_));
      SoftmaxColumns(p, x(), To(fast_));
      ExpectNear(2e-6f);
      LogSoftmax<float>(p, x(), To(plain_));
      LogSoftmaxColumns(p, x(), To(fast_));
      ExpectNear(2e-6f);
    }
  }
}

TEST_F(RowsTest, SoftmaxLeavesMaskedElementsOut) {
  Reset(20);
  x_[3] = -std::numeric_limits<float>::infinity();
  x_[7] = -1e9f;
  SoftmaxRows({}, x(), To(fast_));
  EXPECT_EQ(fast_[3], 0.0f);
  EXPECT_EQ(fast_[7], 0.0f);
  EXPECT_GT(fast_[4], 0.0f);
}

TEST_F(RowsTest, NormalizationsAreThePlainKernels) {
  for (std::int64_t size : kSizes) {
    for (const bool has_bias : {true, false}) {
      Reset(size);
      const TensorView<const float> bias = has_bias ? Row(bias_) : TensorView<const float>();
      LayerNormalization<float, float>({}, x(), Row(scale_), bias, To(plain_), {}, {});
      LayerNormalizationRows({}, x(), Row(scale_), bias, To(fast_), {}, {});
      ExpectNear(1e-5f);
    }
    RMSNormalization<float, float>({}, x(), Row(scale_), To(plain_));
    RMSNormalizationRows({}, x(), Row(scale_), To(fast_));
    ExpectNear(1e-5f);
  }
}

// Also of more elements than are summed up at a time.
TEST_F(RowsTest, NormalizationsAlongSeveralAxes) {
  for (const std::int64_t size : {5, 700, 5000}) {
    Reset(size);
    const std::vector<float> scales = Draw(2 * size, 4.0f), biases = Draw(2 * size, 4.0f);
    const TensorView<const float> scale{scales.data(), {2, size}}, bias{biases.data(), {2, size}};
    LayerNormalizationParams p;
    for (const std::int64_t axis : {1, -2}) {
      p.axis = axis;
      LayerNormalization<float, float>(p, x(), scale, bias, To(plain_), {}, {});
      LayerNormalizationRows(p, x(), scale, bias, To(fast_), {}, {});
      ExpectNear(1e-5f);
    }
  }
}

}  // namespace
}  // namespace dragoman::rt

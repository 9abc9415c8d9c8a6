// SPDX-License-Identifier: Apache-2.0
// Reductions: axes, accuracy, and what they make of nothing.
#include "runtime/kernels/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/kernels/arg_reduce.h"
#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::IsNan;
using testing::NanSensitiveFloatEq;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Shape ReducedShape(const ReduceParams& p, const Shape& data,
                   const std::vector<std::int64_t>& axes) {
  Shape reduced;
  const IntSpan span{axes.data(), static_cast<std::int64_t>(axes.size())};
  EXPECT_TRUE(ReduceShape(p, data, span, &reduced).ok());
  return reduced;
}

TEST(ReduceShapeTest, KeepsOrDropsAxes) {
  EXPECT_EQ(ReducedShape({true, false}, {2, 3, 4}, {1}), (Shape{2, 1, 4}));
  EXPECT_EQ(ReducedShape({false, false}, {2, 3, 4}, {-1, 0}), (Shape{3}));
  EXPECT_EQ(ReducedShape({false, false}, {2, 3, 4}, {}), (Shape{}));
  EXPECT_EQ(ReducedShape({false, true}, {2, 3, 4}, {}), (Shape{2, 3, 4}));
}

TEST(ReduceShapeTest, RefusesBadAxes) {
  Shape reduced;
  const std::int64_t beyond[] = {3};
  EXPECT_FALSE(ReduceShape({}, {2, 3, 4}, {beyond, 1}, &reduced).ok());
  const std::int64_t twice[] = {1, -2};
  EXPECT_FALSE(ReduceShape({}, {2, 3, 4}, {twice, 2}, &reduced).ok());
}

TEST(ReduceTest, SumsOverAnyAxes) {
  Dense<std::int32_t> x({2, 3, 4});
  std::iota(x.Out().data, x.Out().data + 24, 0);
  const Dense<std::int64_t> middle({1}, {1});
  Dense<std::int32_t> columns({2, 1, 4});
  ReduceSum(ReduceParams{}, x.In(), middle.In(), columns.Out());
  EXPECT_THAT(columns.Values(), ElementsAre(12, 15, 18, 21, 48, 51, 54, 57));
  const Dense<std::int64_t> ends({2}, {0, -1});
  Dense<std::int32_t> rows({1, 3, 1});
  ReduceSum(ReduceParams{}, x.In(), ends.In(), rows.Out());
  EXPECT_THAT(rows.Values(), ElementsAre(60, 92, 124));
  Dense<std::int32_t> all({1, 1, 1});
  ReduceSum(ReduceParams{}, x.In(), {}, all.Out());
  EXPECT_THAT(all.Values(), ElementsAre(276));
}

// The greatest element, or NaN, lies in each place of rows of each length.
TEST(ReduceTest, FindsTheExtremeWhereverItLies) {
  const Dense<std::int64_t> axes({1}, {1});
  for (std::int64_t size = 1; size < 70; ++size) {
    Dense<float> x({size, size});
    for (std::int64_t i = 0; i < size; ++i) x.Out()[i * size + i] = i % 3 == 1 ? kNaN : 2.0f;
    Dense<float> y({size, 1}), sum({size, 1});
    ReduceMax(ReduceParams{}, x.In(), axes.In(), y.Out());
    ReduceSum(ReduceParams{}, x.In(), axes.In(), sum.Out());
    for (std::int64_t i = 0; i < size; ++i) {
      const float wanted = i % 3 == 1 ? kNaN : 2.0f;
      EXPECT_THAT(y.Out()[i], NanSensitiveFloatEq(wanted)) << i << " of " << size;
      EXPECT_THAT(sum.Out()[i], NanSensitiveFloatEq(wanted)) << i << " of " << size;
    }
  }
}

TEST(ReduceTest, LongRunsAndManyColumns) {
  Dense<float> x({37, 300});
  for (int i = 0; i < 37 * 300; ++i) x.Out()[i] = static_cast<float>(i % 7);
  std::vector<float> by_row(37), by_column(300);
  for (int i = 0; i < 37 * 300; ++i) {
    by_row[i / 300] += x.Out()[i];
    by_column[i % 300] += x.Out()[i];
  }
  const Dense<std::int64_t> first({1}, {0}), last({1}, {1});
  Dense<float> rows({37, 1}), columns({1, 300});
  ReduceSum(ReduceParams{}, x.In(), last.In(), rows.Out());
  ReduceSum(ReduceParams{}, x.In(), first.In(), columns.Out());
  EXPECT_EQ(rows.Values(), by_row);
  EXPECT_EQ(columns.Values(), by_column);
}

// Rows that are reduced several at a time give what each gives alone.
TEST(ReduceTest, ShortRowsAreAsLoneOnes) {
  const Dense<std::int64_t> axis({1}, {1});
  for (const std::int64_t length : {1, 2, 7, 15}) {
    for (const std::int64_t rows : {1, 7, 8, 19}) {
      Dense<float> x({rows, length}), sums({rows, 1}), maxima({rows, 1});
      for (std::int64_t i = 0; i < x.Out().size(); ++i)
        x.Out()[i] = i % 23 == 5 ? kNaN : static_cast<float>(i * 37 % 11) - 0.1f;
      ReduceSum(ReduceParams{}, x.In(), axis.In(), sums.Out());
      ReduceMax(ReduceParams{}, x.In(), axis.In(), maxima.Out());
      for (std::int64_t row = 0; row < rows; ++row) {
        const TensorView<const float> lone{x.In().data + row * length, {1, length}};
        Dense<float> sum({1, 1}), max({1, 1});
        ReduceSum(ReduceParams{}, lone, axis.In(), sum.Out());
        ReduceMax(ReduceParams{}, lone, axis.In(), max.Out());
        EXPECT_THAT(sums.Out()[row], NanSensitiveFloatEq(sum.Out()[0])) << length << ", " << row;
        EXPECT_THAT(maxima.Out()[row], NanSensitiveFloatEq(max.Out()[0])) << length << ", " << row;
      }
    }
  }
}

TEST(ReduceTest, LongSumsStayAccurate) {
  Dense<float> x({1000003});
  std::fill_n(x.Out().data, 1000003, 0.1f);
  Dense<float> mean({1});
  ReduceMean(ReduceParams{}, x.In(), {}, mean.Out());
  EXPECT_FLOAT_EQ(mean.Values()[0], 0.1f);
}

TEST(ReduceTest, OfNothingIsNeutralOrNan) {
  const Dense<float> x({2, 0});
  const Dense<std::int64_t> axes({1}, {1});
  Dense<float> y({2, 1});
  const ReduceParams p;
  ReduceMax(p, x.In(), axes.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(-kInf, -kInf));
  ReduceMin(p, x.In(), axes.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(kInf, kInf));
  ReduceProd(p, x.In(), axes.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(1, 1));
  ReduceLogSumExp(p, x.In(), axes.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(-kInf, -kInf));
  ReduceMean(p, x.In(), axes.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(IsNan(), IsNan()));
}

TEST(ReduceTest, L1L2AndSumOfSquares) {
  const Dense<float> x({2}, {3, -4});
  Dense<float> y({1});
  ReduceL1(ReduceParams{}, x.In(), {}, y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(7));
  ReduceL2(ReduceParams{}, x.In(), {}, y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(5));
  ReduceSumSquare(ReduceParams{}, x.In(), {}, y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(25));
}

TEST(ReduceTest, LogSumExpDoesNotOverflow) {
  const Dense<float> x({2, 2}, {1000, 1000, -kInf, -kInf});
  const Dense<std::int64_t> axes({1}, {1});
  Dense<float> y({2, 1});
  ReduceLogSumExp(ReduceParams{}, x.In(), axes.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(FloatEq(1000.6931f), -kInf));
}

TEST(ReduceTest, MaxPropagatesNanAndTakesBool) {
  const Dense<float> x({3}, {1, kNaN, 3});
  Dense<float> y({1});
  ReduceMax(ReduceParams{}, x.In(), {}, y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(IsNan()));
  const Dense<bool> b({2, 2}, {true, false, true, true});
  const Dense<std::int64_t> axes({1}, {1});
  Dense<bool> all({2, 1});
  ReduceMin(ReduceParams{}, b.In(), axes.In(), all.Out());
  EXPECT_THAT(all.Values(), ElementsAre(false, true));
}

TEST(ReduceTest, NoAxesMayMeanEachElementAlone) {
  const Dense<float> x({2}, {3, -4});
  Dense<float> y({2});
  ReduceSumSquare(ReduceParams{true, true}, x.In(), {}, y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(9, 16));
}

TEST(ArgReduceTest, FirstOrLastOfEqualOnes) {
  const Dense<float> x({2, 3}, {2, 5, 5, 1, 1, 7});
  Dense<std::int64_t> y({2, 1});
  ArgReduceParams p;
  p.axis = 1;
  ArgMax(p, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(1, 2));
  ArgMin(p, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(0, 0));
  p.select_last_index = true;
  ArgMax(p, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(2, 2));
}

// Lines side by side are walked together, by the sixteen.
TEST(ArgReduceTest, EachLineHasAnIndexOfItsOwn) {
  constexpr std::int64_t kSize = 5, kLines = 19;
  Dense<float> x({kSize, kLines});
  std::vector<std::int64_t> expected;
  for (std::int64_t line = 0; line < kLines; ++line) {
    const std::int64_t best = line % kSize;
    for (std::int64_t i = 0; i < kSize; ++i)
      x.Out().data[i * kLines + line] = i == best ? (line == 3 ? kNaN : 1.0f) : -1.0f;
    expected.push_back(best);
  }
  Dense<std::int64_t> y({1, kLines});
  ArgMax(ArgReduceParams{}, x.In(), y.Out());
  EXPECT_EQ(y.Values(), expected);
}

// As one element after the other gives, though long rows are not walked so: of few values, so that
// many are equal, and of some NaN.
TEST(ArgReduceTest, LongRowsAreAsShortOnes) {
  for (const std::int64_t size : {31, 32, 33, 100, 1000}) {
    for (const bool with_nan : {false, true}) {
      for (const bool last : {false, true}) {
        Dense<float> x({1, size});
        float* data = x.Out().data;
        for (std::int64_t i = 0; i < size; ++i) data[i] = static_cast<float>(i * 7919 % 5);
        if (with_nan) data[size - 1] = data[size / 2] = data[size / 2 + 1] = kNaN;
        std::int64_t expected = 0;
        for (std::int64_t i = 1; i < size; ++i) {
          const bool is_first_nan = data[i] != data[i] && data[expected] == data[expected];
          const bool is_tie = last && data[i] == data[expected];
          if (is_first_nan || is_tie || data[i] > data[expected]) expected = i;
        }
        ArgReduceParams p;
        p.axis = 1;
        p.select_last_index = last;
        Dense<std::int64_t> y({1, 1});
        ArgMax(p, x.In(), y.Out());
        EXPECT_THAT(y.Values(), ElementsAre(expected)) << size;
      }
    }
  }
}

TEST(ArgReduceTest, NanIsTheExtreme) {
  const Dense<float> x({3, 1}, {2, kNaN, 5});
  Dense<std::int64_t> y({1, 1});
  ArgMin(ArgReduceParams{}, x.In(), y.Out());
  EXPECT_THAT(y.Values(), ElementsAre(1));
}

}  // namespace
}  // namespace dragoman::rt

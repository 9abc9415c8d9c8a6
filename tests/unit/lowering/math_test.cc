// SPDX-License-Identifier: Apache-2.0
// Quotients and remainders at the edges of their types. What torch gives for all pairs of edge
// values is in tests/models/torch_edge_values_test.py.
#include "core/lowering/math.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/lowering/division.h"
#include "core/lowering/number_parts.h"
#include "core/lowering/rounding.h"
#include "tests/unit/lowering/program.h"

namespace dragoman {
namespace {

using Compose = Value* (*)(Composer& c, Value* a, Value* b);

// What the composition gives for each pair of elements.
template <class T>
std::string Apply(Compose compose, DType dtype, const std::vector<T>& a, const std::vector<T>& b) {
  Program program;
  const auto count = static_cast<std::int64_t>(a.size());
  Value* x = program.Input("x", dtype, {Dim(count)});
  Value* y = program.Input("y", dtype, {Dim(count)});
  Composer c(program.builder());
  Value* result = compose(c, x, y);
  EXPECT_TRUE(c.Done(result).ok());
  program.Output(result);
  return program.Run({Tensor::Of<T>({count}, a), Tensor::Of<T>({count}, b)});
}

TEST(MathTest, QuotientsOfIntegersAreRoundedDownAtTheExtremesToo) {
  EXPECT_EQ(Apply<std::int8_t>(FloorQuotient, DType::kI8, {-128, -128, 127, 127, -7, 7, -8, -128},
                               {7, -128, -7, 127, 2, -2, 2, 127}),
            "i8[8] -19 1 -19 1 -4 -4 -4 -2");
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(Apply<std::int64_t>(FloorQuotient, DType::kI64, {kLeast, kLeast, 1}, {7, -7, kLeast}),
            "i64[3] -1317624576693539402 1317624576693539401 -1");
  EXPECT_EQ(Apply<std::uint8_t>(FloorQuotient, DType::kU8, {255, 0}, {7, 255}), "u8[2] 36 0");
}

template <class T>
void CheckNextNumbers(DType dtype) {
  using Limits = std::numeric_limits<T>;
  const T inf = Limits::infinity(), most = Limits::max(), least = Limits::denorm_min();
  const std::vector<T> a = {0, 0, 1, 1, -1, -2, 8, most, inf, -inf, least, -least, 3};
  const std::vector<T> b = {1, -1, 2, 0, 0, -3, 0, inf, 0, 7, -1, 1, 3};
  std::vector<T> next;
  for (std::size_t i = 0; i < a.size(); ++i) next.push_back(std::nextafter(a[i], b[i]));
  const Compose first = [](Composer&, Value* x, Value*) { return x; };
  EXPECT_EQ(Apply<T>(NextAfter, dtype, a, b), Apply<T>(first, dtype, next, next));
}

TEST(MathTest, NextNumbersAreThoseOfC) {
  CheckNextNumbers<float>(DType::kF32);
  CheckNextNumbers<double>(DType::kF64);
}

TEST(MathTest, HalvesAreRoundedAwayFromZeroAsByC) {
  const std::vector<float> x = {-0.0F, 0.49999997F, -0.49999997F, 0.5F,       -0.5F,   2.5F,
                                -1.5F, 0.7F,        -0.2F,        8388609.0F, INFINITY};
  std::vector<float> rounded;
  for (const float number : x) rounded.push_back(std::round(number));
  const Compose round = [](Composer& c, Value* a, Value*) { return RoundHalvesAway(c, a); };
  const Compose first = [](Composer&, Value* a, Value*) { return a; };
  EXPECT_EQ(Apply<float>(round, DType::kF32, x, x),
            Apply<float>(first, DType::kF32, rounded, rounded));
}

TEST(MathTest, QuotientsOfWhatIsNeverNegativeAreOneNode) {
  Program program;
  Value* x = program.Input("x", DType::kF32, {Dim::Symbol("n"), Dim(4)});
  Composer c(program.builder());
  Value* size = c.Size(x, 0);
  EXPECT_TRUE(IsNeverNegative(c, size));
  EXPECT_FALSE(IsNeverNegative(c, c.Sub(size, c.Int(5))));
  const std::size_t before = program.graph().num_nodes();
  FloorQuotient(c, size, c.Int(2));
  EXPECT_EQ(program.graph().num_nodes(), before + 1);
}

TEST(MathTest, QuotientsOfFloatsAreThoseOfPythonAtInfinitiesToo) {
  constexpr double kInf = INFINITY;
  EXPECT_EQ(Apply<double>(FloorQuotient, DType::kF64, {-5, 5, 5, -0.0, 0.0, 7.5, 1, -1},
                          {kInf, kInf, -kInf, 3, -3, -2, 0, 0}),
            "f64[8] -1.0 0.0 -1.0 -0.0 -0.0 -4.0 inf -inf");
  EXPECT_EQ(Apply<double>(Remainder, DType::kF64, {-5, 5, 5, 6, -7.5}, {kInf, kInf, -kInf, -3, 2}),
            "f64[5] inf 5.0 -inf 0.0 0.5");
}

}  // namespace
}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// Expected values are numpy.einsum's.
#include "runtime/kernels/einsum.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using Floats = std::vector<float>;

EinsumParams Parsed(const std::string& equation) {
  EinsumParams p;
  EXPECT_TRUE(ParseEinsum(equation.data(), static_cast<std::int64_t>(equation.size()), &p).ok())
      << equation;
  return p;
}

Floats EinsumOf(const std::string& equation, const std::vector<const Dense<float>*>& operands,
                const Shape& expected) {
  const EinsumParams p = Parsed(equation);
  std::vector<TensorView<const float>> views;
  std::vector<Shape> shapes;
  for (const Dense<float>* operand : operands) {
    views.push_back(operand->In());
    shapes.push_back(operand->In().shape);
  }
  const auto count = static_cast<std::int64_t>(operands.size());
  Shape shape;
  EXPECT_TRUE(EinsumShape(p, shapes.data(), count, &shape).ok()) << equation;
  EXPECT_EQ(shape, expected) << equation;
  Dense<float> y(shape);
  EXPECT_TRUE(Einsum(p, Views<const float>{views.data(), count}, y.Out()).ok()) << equation;
  return y.Values();
}

TEST(EinsumTest, MultipliesSumsAndTransposes) {
  const Dense<float> a({2, 3}, {1, 2, 3, 4, 5, 6}), b({3, 2}, {1, 0, 2, 1, 0, 3}), v({2}, {10, 1});
  EXPECT_EQ(EinsumOf("ij,jk->ik", {&a, &b}, {2, 2}), Floats({5, 11, 14, 23}));
  EXPECT_EQ(EinsumOf("ij , jk", {&a, &b}, {2, 2}), Floats({5, 11, 14, 23}));
  EXPECT_EQ(EinsumOf("ba", {&a}, {3, 2}), Floats({1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(EinsumOf("ij->", {&a}, {}), Floats({21}));
  EXPECT_EQ(EinsumOf("ij,jk,k->i", {&a, &b, &v}, {2}), Floats({61, 163}));
  EXPECT_EQ(EinsumOf("i,j->ij", {&v, &v}, {2, 2}), Floats({100, 10, 10, 1}));
}

TEST(EinsumTest, TakesDiagonals) {
  const Dense<float> a({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(EinsumOf("ii->i", {&a}, {2}), Floats({1, 4}));
  EXPECT_EQ(EinsumOf("ii", {&a}, {}), Floats({5}));
}

TEST(EinsumTest, BroadcastsEllipses) {
  const Dense<float> a({2, 1, 2}, {1, 2, 3, 4}), b({2, 2}, {1, 10, 100, 1000});
  EXPECT_EQ(EinsumOf("...i,...i->...", {&a, &b}, {2, 2}), Floats({21, 2100, 43, 4300}));
  EXPECT_EQ(EinsumOf("...i", {&b}, {2, 2}), Floats({1, 10, 100, 1000}));
  EXPECT_EQ(EinsumOf("i...->i", {&b}, {2}), Floats({11, 1100}));
}

TEST(EinsumTest, SumsOfNothingAreZero) {
  const Dense<float> a({2, 0});
  EXPECT_EQ(EinsumOf("ij->i", {&a}, {2}), Floats({0, 0}));
}

TEST(EinsumTest, RefusesWrongEquations) {
  EinsumParams p;
  for (const std::string bad :
       {"i1", "i->j", "ij->ii", "i-j", "....i", "......", "i->i->i", "i->i,i", "i..", "\xc3\xa9"}) {
    EXPECT_FALSE(ParseEinsum(bad.data(), static_cast<std::int64_t>(bad.size()), &p).ok()) << bad;
  }
  const std::string labels(65, 'i'), operands(16, ',');
  EXPECT_FALSE(ParseEinsum(labels.data(), 65, &p).ok());
  EXPECT_FALSE(ParseEinsum(operands.data(), 16, &p).ok());
}

TEST(EinsumTest, RefusesOperandsThatDoNotFit) {
  Shape y;
  const Shape shapes[] = {{2, 3}, {4}};
  EXPECT_FALSE(EinsumShape(Parsed("ij,j"), shapes, 2, &y).ok());
  EXPECT_FALSE(EinsumShape(Parsed("i,j"), shapes, 2, &y).ok());
  EXPECT_FALSE(EinsumShape(Parsed("ij"), shapes, 2, &y).ok());
}

}  // namespace
}  // namespace dragoman::rt

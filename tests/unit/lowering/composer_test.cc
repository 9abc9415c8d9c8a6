// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/composer.h"

#include <gmock/gmock.h>

#include "tests/unit/lowering/program.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

TEST(ComposerTest, NumbersTakeTheElementTypeOfTheOtherOperand) {
  Program program;
  Value* x = program.Input("x", DType::kF32, {Dim(2)});
  Composer c(program.builder());
  Value* y = c.Mul(2, c.Add(x, 0.5));
  ASSERT_TRUE(c.Done(y).ok());
  program.Output(y);
  EXPECT_EQ(program.Run({Tensor::Of<float>({2}, std::vector<float>{1, 2})}), "f32[2] 3.0 5.0");
}

TEST(ComposerTest, KeepsTheFirstErrorAndAppendsNothingAfterIt) {
  Program program;
  Value* x = program.Input("x", DType::kF32, {Dim(2), Dim(3)});
  Composer c(program.builder());
  Value* bad = c.Op("MatMul", {x, x});
  EXPECT_EQ(bad, nullptr);
  EXPECT_EQ(c.Add(bad, c.Exp(x)), nullptr);
  EXPECT_EQ(c.Fail("something else"), nullptr);
  EXPECT_THAT(c.Done(bad).error().ToString(), HasSubstr("MatMul"));
  EXPECT_EQ(program.graph().num_nodes(), 0u);
}

TEST(ComposerTest, SizesThatAreKnownAreConstants) {
  Program program;
  Value* x = program.Input("x", DType::kF32, {Dim(2), Dim::Symbol("n")});
  Composer c(program.builder());
  EXPECT_TRUE(c.Size(x, 0)->is_constant());
  EXPECT_FALSE(c.Size(x, 1)->is_constant());
  EXPECT_FALSE(c.Size(x, -1)->is_constant());
  EXPECT_TRUE(c.Size(x, -2)->is_constant());
  program.Output(c.ConcatSizes({c.SizeVector(x, 0, 2), c.Ints({7})}));
  program.Output(c.Size(x, -1));
  EXPECT_EQ(program.Run({Tensor::Full(DType::kF32, {2, 5}, 0).value()}), "i64[3] 2 5 7; i64[] 5");
}

TEST(ComposerTest, CountsAnAxisFromTheEndWhereTheRankIsUnknown) {
  Program program;
  Value* x = program.graph().AddInput("x", Type::Tensor(DType::kF32));
  Composer c(program.builder());
  Value* size = c.Size(x, -1);
  ASSERT_TRUE(c.Done(size).ok());
  program.Output(size);
  EXPECT_EQ(program.Run({Tensor::Full(DType::kF32, {2, 5}, 0).value()}), "i64[] 5");
}

TEST(ComposerTest, AssertEndsARunInWhichItsConditionIsFalse) {
  Program program;
  Value* x = program.Input("x", DType::kBool);
  Composer c(program.builder());
  c.Assert(x, "x must hold");
  ASSERT_TRUE(c.status().ok());
  program.Output(x);
  EXPECT_EQ(program.Run({Bool(true)}), "bool[] true");
  EXPECT_THAT(program.Run({Bool(false)}), HasSubstr("x must hold"));
}

TEST(ComposerTest, ComplexNumbersAreComputedAsPairs) {
  Program program;
  Value* pairs = program.Input("pairs", DType::kF64, {Dim(2)});
  Composer c(program.builder());
  Value* z = c.Op("dragoman.RealToComplex", {pairs});
  Value* square = c.Op("dragoman.ComplexToReal", {c.Mul(z, z)});
  ASSERT_TRUE(c.Done(square).ok());
  program.Output(square);
  EXPECT_EQ(program.Run({Tensor::Of<double>({2}, std::vector<double>{1, 2})}), "f64[2] -3.0 4.0");
}

}  // namespace
}  // namespace dragoman

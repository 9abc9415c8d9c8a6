// SPDX-License-Identifier: Apache-2.0
// Factorisations as loops: what they give is what the kernels give, and multiplies to the matrix.
#include "core/rewrite/lower_factors.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/analysis/inference.h"
#include "core/ir/for_each_value.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/ops/op_def.h"
#include "core/rewrite/random_check.h"

namespace dragoman {
namespace {

bool HasNone(std::string_view) { return false; }

int CountFactorisations(Graph& graph) {
  int count = 0;
  ForEachGraph(graph, [&](Graph& body) {
    for (const Node& node : body.nodes()) count += IsFactorisation(FindOp(node)->Label());
  });
  return count;
}

// What the graph gives otherwise after its factorisations are lowered, on random data.
std::string DifferenceAfterLowering(const std::string& text) {
  Model model = ParseText(text).value();
  if (Status status = InferModel(model); !status.ok()) return status.error().ToString();
  const auto check = RandomCheck::Make(model, model.entries.front(), 1'000'000'000);
  if (!check) return "not checked";
  EXPECT_GT(CountFactorisations(model.main()), 0);
  Status status = LowerFactors(model.main(), HasNone);
  if (!status.ok()) return status.error().ToString();
  EXPECT_TRUE(Verify(model).ok()) << PrintGraph(model.main());
  EXPECT_EQ(CountFactorisations(model.main()), 0) << PrintGraph(model.main());
  return check->FindDifference(model.main());
}

// The product of three matrices, the second of which is given by its diagonal.
constexpr char kProduct[] = R"(
  const %rows: i64[1] = [-2]
  %row = onnx.Unsqueeze(%s, %rows)
  %scaled = onnx.Mul(%u, %row)
  %product = onnx.MatMul(%scaled, %v)
})";

TEST(LowerFactors, EigenvaluesOfSymmetricMatrices) {
  EXPECT_EQ(DifferenceAfterLowering(R"(graph main(%x: f32[b, n, m]) -> (%s, %product) {
  %xt = onnx.Transpose(%x) {perm = [0, 2, 1]}
  %a = onnx.MatMul(%x, %xt)
  %s, %u = dragoman.SymmetricEigen(%a)
  %v = onnx.Transpose(%u) {perm = [0, 2, 1]})" +
                                    std::string(kProduct)),
            "");
}

TEST(LowerFactors, WhatLiesAboveTheDiagonalOfSymmetricMatricesDoesNotCount) {
  for (const std::string sizes : {"5, 5", "2, 4, 4", "n, n"}) {
    EXPECT_EQ(DifferenceAfterLowering("graph main(%x: f64[" + sizes + R"(]) -> (%s) {
  %s = dragoman.SymmetricEigen(%x)
})"),
              "")
        << sizes;
  }
}

TEST(LowerFactors, MatricesWithoutElementsStay) {
  Model model =
      ParseText("graph main(%x: f32[0, 0]) -> (%l) { %l = dragoman.Cholesky(%x) }").value();
  ASSERT_TRUE(InferModel(model).ok());
  ASSERT_TRUE(LowerFactors(model.main(), HasNone).ok());
  EXPECT_EQ(CountFactorisations(model.main()), 1);
}

TEST(LowerFactors, SingularValuesOfMatricesOfAnySizes) {
  for (const std::string sizes : {"n, m", "b, n, m", "7, 4", "4, 7", "2, 1, 5", "5, 1", "6, 6"}) {
    EXPECT_EQ(DifferenceAfterLowering("graph main(%x: f64[" + sizes + R"(]) -> (%s, %product) {
  %u, %s, %v = dragoman.Svd(%x))" + kProduct),
              "")
        << sizes;
  }
}

TEST(LowerFactors, SingularValuesOfEqualColumns) {
  EXPECT_EQ(DifferenceAfterLowering(R"(graph main(%x: f32[n, 1]) -> (%s, %product) {
  const %sizes: i64[2] = [1, 5]
  %equal = onnx.Expand(%x, %sizes)
  %u, %s, %v = dragoman.Svd(%equal))" +
                                    std::string(kProduct)),
            "");
}

TEST(LowerFactors, QrAndItsProduct) {
  for (const std::string sizes : {"n, m", "b, n, m", "5, 3", "3, 5"}) {
    EXPECT_EQ(DifferenceAfterLowering("graph main(%x: f32[" + sizes + R"(]) -> (%h, %tau) {
  %h, %tau = dragoman.HouseholderQr(%x)
})"),
              "")
        << sizes;
  }
  EXPECT_EQ(DifferenceAfterLowering(R"(graph main(%x: f32[5, 3]) -> (%q) {
  %h, %tau = dragoman.HouseholderQr(%x)
  %q = dragoman.HouseholderProduct(%h, %tau)
})"),
            "");
}

TEST(LowerFactors, LuDeterminantCholeskyAndTriangularSystems) {
  EXPECT_EQ(DifferenceAfterLowering(R"(graph main(%x: f32[b, n, m]) -> (%lu, %pivots, %rows) {
  %lu, %pivots, %rows = dragoman.LuFactor(%x)
})"),
            "");
  EXPECT_EQ(DifferenceAfterLowering(R"(graph main(%x: f32[b, n, n]) -> (%d) {
  %d = onnx.Det(%x)
})"),
            "");
  EXPECT_EQ(DifferenceAfterLowering(R"(graph main(%x: f32[n, m], %b: f32[n, k]) -> (%l, %y) {
  %xt = onnx.Transpose(%x) {perm = [1, 0]}
  %square = onnx.MatMul(%x, %xt)
  %unit = onnx.EyeLike(%square)
  %a = onnx.Add(%square, %unit)
  %l = dragoman.Cholesky(%a)
  %y = dragoman.TriangularSolve(%l, %b)
})"),
            "");
}

// A target that has one keeps it.
TEST(LowerFactors, KeepsWhatTheTargetHas) {
  Model model = ParseText("graph main(%x: f32[n, n]) -> (%d) { %d = onnx.Det(%x) }").value();
  ASSERT_TRUE(InferModel(model).ok());
  ASSERT_TRUE(
      LowerFactors(model.main(), [](std::string_view label) { return label == "Det"; }).ok());
  EXPECT_EQ(CountFactorisations(model.main()), 1);
}

}  // namespace
}  // namespace dragoman

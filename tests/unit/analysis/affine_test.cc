// SPDX-License-Identifier: Apache-2.0
// Affine forms: what a value computes from atoms, however that is written.
#include "core/analysis/affine.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"

namespace dragoman {
namespace {

class AffineTest : public testing::Test {
 protected:
  // The form of the first output of a graph with these lines, along its last axis.
  const AffineForm* FormOf(const std::string& lines) {
    model_ = ParseText(
                 "graph main(%x: f32[2, 3], %s: f32[5, 2, 3], %h: f32[2, 4]) -> (%y) {\n"
                 "  const %w: f32[3, 4] = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0],\n"
                 "    [9.0, 10.0, 11.0, 12.0]]\n"
                 "  const %r: f32[4, 4] = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0],\n"
                 "    [9.0, 10.0, 11.0, 12.0], [0.0, 1.0, 0.0, 1.0]]\n"
                 "  const %b: f32[4] = [1.0, 2.0, 3.0, 4.0]\n"
                 "  const %two: f32[] = 2.0\n"
                 "  const %first: i64[] = 0\n" +
                 lines + "\n}\n")
                 .value();
    inference_ = Inference();
    EXPECT_TRUE(inference_.InferGraph(model_.main()).ok());
    forms_.emplace(inference_);
    const Value* y = model_.main().output(0);
    return forms_->Of(y, *y->type().rank() - 1);
  }

  // Of the term at `i`, the name of its value.
  std::string AtomName(const AffineSegment& segment, std::size_t i = 0) {
    return forms_->atom(segment.terms[i].atom).value->name();
  }

  Model model_;
  Inference inference_;
  std::optional<AffineForms> forms_;
};

TEST_F(AffineTest, ProductsAndSumsAreOneSegment) {
  const AffineForm* form = FormOf(R"(
  %a = onnx.MatMul(%x, %w)
  %c = onnx.Gemm(%h, %r, %b)
  %y = onnx.Add(%a, %c))");
  ASSERT_NE(form, nullptr);
  ASSERT_EQ(form->segments.size(), 1u);
  const AffineSegment& segment = form->segments.front();
  ASSERT_EQ(segment.terms.size(), 2u);
  EXPECT_EQ(AtomName(segment, 0), "x");
  EXPECT_EQ(AtomName(segment, 1), "h");
  EXPECT_EQ(segment.terms[1].kind, AffineTerm::Kind::kMatrix);
  EXPECT_NE(segment.bias, kNoConst);
}

TEST_F(AffineTest, TwoTransposesOfAWeightAreTheWeight) {
  FormOf("  %y = onnx.MatMul(%x, %w)");
  const ConstId weight = forms_->consts().Of(model_.main().constants()[0].get());
  EXPECT_EQ(forms_->consts().Transpose(forms_->consts().Transpose(weight)), weight);
}

TEST_F(AffineTest, PartsOfASplitConcatenatedAreTheWhole) {
  const AffineForm* form = FormOf(R"(
  %a, %c = onnx.Split(%h) {axis = 1, num_outputs = 2}
  %y = onnx.Concat(%a, %c) {axis = 1})");
  ASSERT_NE(form, nullptr);
  ASSERT_EQ(form->segments.size(), 1u);
  const AtomId atom = AffineForms::AsAtom(form->segments.front());
  ASSERT_NE(atom, kNoAtom);
  EXPECT_EQ(forms_->atom(atom).size, 4);
}

TEST_F(AffineTest, AStepOfAProductIsTheProductOfAStep) {
  const AffineForm* form = FormOf(R"(
  %a = onnx.MatMul(%s, %w)
  %y = onnx.Gather(%a, %first))");
  ASSERT_NE(form, nullptr);
  ASSERT_EQ(form->segments.front().terms.size(), 1u);
  const Atom& atom = forms_->atom(form->segments.front().terms.front().atom);
  EXPECT_EQ(atom.value->name(), "s");
  EXPECT_EQ(atom.step_axis, 0);
  EXPECT_EQ(atom.step, 0);
}

TEST_F(AffineTest, TwoMatricesAreNeverMultiplied) {
  const AffineForm* form = FormOf(R"(
  %a = onnx.MatMul(%x, %w)
  %y = onnx.MatMul(%a, %r))");
  ASSERT_NE(form, nullptr);
  EXPECT_EQ(AtomName(form->segments.front()), "a");
}

TEST_F(AffineTest, NumbersScale) {
  const AffineForm* form = FormOf(R"(
  %a = onnx.Mul(%h, %two)
  %y = onnx.Sub(%b, %a))");
  ASSERT_NE(form, nullptr);
  EXPECT_EQ(form->segments.front().terms.front().scale, -2);
}

}  // namespace
}  // namespace dragoman

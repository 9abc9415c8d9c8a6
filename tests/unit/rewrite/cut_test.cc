// SPDX-License-Identifier: Apache-2.0
// What is left of a graph that is cut, and of one whose inputs are stated anew.
#include "core/rewrite/cut.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/rewrite/apply_facts.h"

namespace dragoman {
namespace {

constexpr char kChain[] = R"(graph main(%x: f32[n, 2], %k: f32[2]) -> (%z) {
  const %two: f32[] = 2.0
  %a = onnx.Mul(%x, %two)
  %b = onnx.Add(%a, %k)
  %y = onnx.Relu(%b)
  %z = onnx.Neg(%y)
})";

using Names = std::vector<std::string>;

std::string CutText(const Names& inputs, const Names& outputs) {
  Model model = ParseText(kChain).value();
  EXPECT_TRUE(InferModel(model).ok());
  if (Status status = CutModel(model, inputs, outputs); !status.ok()) {
    return status.error().ToString();
  }
  EXPECT_TRUE(Verify(model).ok());
  return PrintGraph(model.main());
}

TEST(Cut, KeepsWhatLiesBetween) {
  EXPECT_EQ(CutText({"b"}, {"y"}),
            "graph main(%b: f32[n, 2]) -> (%y: f32[n, 2]) {\n"
            "  %y = onnx.Relu(%b)\n"
            "}\n");
}

TEST(Cut, EmptyListsKeepWhatThereIs) {
  EXPECT_EQ(CutText({}, {"a"}),
            "graph main(%x: f32[n, 2]) -> (%a: f32[n, 2]) {\n"
            "  const %two: f32[] = 2.0\n"
            "  %a = onnx.Mul(%x, %two)\n"
            "}\n");
}

TEST(Cut, AnInputThatIsNeededMustBeNamed) {
  EXPECT_NE(CutText({"a"}, {}).find("the outputs need the input 'k'"), std::string::npos);
}

TEST(Cut, NamesMustExist) {
  EXPECT_NE(CutText({"nothing"}, {}).find("no value 'nothing'"), std::string::npos);
}

TEST(ApplyFacts, TypesFollowFromTheInputs) {
  const Model model = ParseText(kChain).value();
  Facts facts;
  facts.dims.emplace("n", Dim(4));
  const Result<Model> stated = ApplyFactsToModel(model, facts);
  ASSERT_TRUE(stated.ok()) << stated.error().ToString();
  EXPECT_EQ(stated->main().input(0)->type().ToString(), "f32[4, 2]");
  EXPECT_EQ(stated->main().output(0)->type().ToString(), "f32[4, 2]");
}

TEST(ApplyFacts, InputsMustExist) {
  const Model model = ParseText(kChain).value();
  Facts facts;
  facts.shapes.push_back(ParseShapeFact("q=1,2").value());
  EXPECT_FALSE(ApplyFactsToModel(model, facts).ok());
}

}  // namespace
}  // namespace dragoman

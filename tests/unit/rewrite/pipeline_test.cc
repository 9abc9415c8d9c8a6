// How passes are chosen, what they tell, and what becomes of Origins.
#include "core/rewrite/pipeline.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/ir/parse.h"

namespace dragoman {
namespace {

constexpr char kIdentityThenRelu[] = R"(graph main(%x: f32[2]) -> (%y) {
  %a = onnx.Identity(%x)
  %y = onnx.Relu(%a)
})";

std::size_t NodesAfter(const std::string& passes) {
  Model model = ParseText(kIdentityThenRelu).value();
  EXPECT_TRUE(RunPipeline(model, {.passes = passes, .explain = {}}).ok());
  return model.main().num_nodes();
}

TEST(Pipeline, PassesAreChosenByName) {
  EXPECT_EQ(NodesAfter("none"), 2u);
  EXPECT_EQ(NodesAfter("default"), 1u);
  EXPECT_EQ(NodesAfter("default,-eliminate-identities"), 2u);
  EXPECT_EQ(NodesAfter("eliminate-identities"), 1u);
}

TEST(Pipeline, UnknownPassIsAnErrorThatNamesTheNearest) {
  Model model = ParseText(kIdentityThenRelu).value();
  const Status status = RunPipeline(model, {.passes = "default,-fold-size", .explain = {}});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind(), ErrorKind::kInvalidInput);
  const std::string text = status.error().ToString();
  EXPECT_NE(text.find("'-fold-size'"), std::string::npos) << text;
  EXPECT_NE(text.find("'fold-sizes'"), std::string::npos) << text;
}

TEST(Pipeline, ExplainsEachRewrite) {
  Model model = ParseText(kIdentityThenRelu).value();
  std::vector<std::string> lines;
  const auto explain = [&](std::string_view line) { lines.emplace_back(line); };
  ASSERT_TRUE(RunPipeline(model, {.passes = "default", .explain = explain}).ok());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines.front().substr(0, 16), "remove-identity:");
}

TEST(Pipeline, WhatReplacesInheritsTheOrigins) {
  Model model = ParseText(R"(graph main(%x: f32[2, 3]) -> (%y) {
    const %w: f32[3, 2] = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    const %b: f32[2] = [1.0, 2.0]
    %m = onnx.MatMul(%x, %w)
    %y = onnx.Add(%m, %b)
  })")
                    .value();
  for (Node& node : model.main().nodes()) {
    node.set_origin(Origin::Leaf({node.op().ToString(), "", "", "", {}}));
  }
  ASSERT_TRUE(RunPipeline(model, {}).ok());
  ASSERT_EQ(model.main().num_nodes(), 1u);
  std::vector<std::string> ops;
  for (const SourceOp* op : Flatten(model.main().first_node()->origin())) ops.push_back(op->op);
  EXPECT_EQ(ops, (std::vector<std::string>{"onnx.MatMul", "onnx.Add"}));
}

TEST(Pipeline, ForeignNodesStay) {
  Model model = ParseText(R"(graph main(%x: f32[2]) -> (%y) {
    %unused = onnx:com.example.Log(%x)
    %a = onnx:com.example.Blur(%x)
    %b = onnx:com.example.Blur(%x)
    %y = onnx.Add(%a, %b)
  })")
                    .value();
  ASSERT_TRUE(RunPipeline(model, {}).ok());
  EXPECT_EQ(model.main().num_nodes(), 4u);
}

}  // namespace
}  // namespace dragoman

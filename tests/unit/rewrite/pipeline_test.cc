// SPDX-License-Identifier: Apache-2.0
// How passes are chosen, what they report, and what becomes of Origins.
#include "core/rewrite/pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
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

// Numbers are those of the formula rounded to the element type; 1.5 is not a root of 2 in any.
TEST(Pipeline, FormulasAreReadInHalvesToo) {
  const auto nodes_of_gelu = [](const std::string& type, const std::string& root) {
    Model model = ParseText(fmt::format(R"(graph main(%x: {0}[2, 8]) -> (%y) {{
      const %root: {0}[] = {1}
      const %one: {0}[] = 1.0
      const %half: {0}[] = 0.5
      %a = onnx.Div(%x, %root)
      %b = onnx.Erf(%a)
      %c = onnx.Add(%b, %one)
      %d = onnx.Mul(%x, %c)
      %y = onnx.Mul(%d, %half)
    }})",
                                        type, root))
                      .value();
    EXPECT_TRUE(RunPipeline(model, {.passes = "default", .explain = {}}).ok());
    return model.main().num_nodes();
  };
  for (const char* type : {"f16", "bf16", "f32"}) {
    EXPECT_EQ(nodes_of_gelu(type, "1.4142135"), 1u) << type;
    EXPECT_EQ(nodes_of_gelu(type, "1.5"), 5u) << type;
  }
}

// What reads run-time sizes checks those that a file declares of its result: it stays, and so does
// what its result of no elements would be computed by.
TEST(Pipeline, NodesThatCheckDeclaredSizesStay) {
  Model model =
      ParseText(
          R"(graph main(%x: f32[1, 1, 2, 2], %sizes: i64[4], %v: f32[6], %shape: i64[2]) -> (%y, %e) {
    %y: f32[1, 1, 4, 4] = onnx.Resize(%x, _, _, %sizes) {mode = "nearest"}
    %z: f32[0, 3] = onnx.Reshape(%v, %shape)
    %e = onnx.Exp(%z)
  })")
          .value();
  EXPECT_TRUE(RunPipeline(model, {.passes = "default", .explain = {}}).ok());
  EXPECT_EQ(model.main().num_nodes(), 3u);
  EXPECT_EQ(model.main().nodes().begin()->num_operands(), 4u);  // sizes, not scales
}

TEST(Pipeline, UnknownPassIsAnErrorThatNamesTheNearest) {
  Model model = ParseText(kIdentityThenRelu).value();
  const Status status = RunPipeline(model, {.passes = "default,-fold-size", .explain = {}});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind(), ErrorKind::kInvalidInput);
  const std::string text = status.error().ToString();
  EXPECT_NE(text.find("'fold-size'"), std::string::npos) << text;
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

TEST(Pipeline, OnlySmallConstantsAreStatedTwice) {
  const auto nodes_beside = [](std::size_t size) {
    Model model = ParseText(fmt::format(R"(graph main(%x: i32[{0}]) -> (%y, %c) {{
  const %k: i32[{0}] = [{1}]
  %y = onnx.Add(%x, %k)
  %c = onnx.Identity(%k)
}})",
                                        size, fmt::join(std::vector<int>(size, 7), ", ")))
                      .value();
    EXPECT_TRUE(RunPipeline(model, {.passes = "eliminate-identities", .explain = {}}).ok());
    return model.main().num_nodes();
  };
  EXPECT_EQ(nodes_beside(1024), 1u);
  EXPECT_EQ(nodes_beside(1025), 2u);
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

// Elements that a tensor of `size` does not have, or that no memory would hold.
TEST(Pipeline, ElementsOfClaimedSizesAreNoSteps) {
  for (const auto& [size, index] :
       {std::pair("4", "-10"), std::pair("2000000000000", "1999999999999")}) {
    std::string text = fmt::format("graph main(%x: f32[{}, 3], %h: f32[3]) -> (%y) {{\n", size);
    text += fmt::format("const %i0: i64[] = {}\n", index);
    std::string state = "h";
    for (int i = 0; i < 4; ++i) {
      if (i > 0) text += fmt::format("const %i{0}: i64[] = {0}\n", i);
      text +=
          fmt::format("%s{0} = onnx.Gather(%x, %i{0})\n%m{0} = onnx.Mul(%s{0}, %{1})\n", i, state);
      text += fmt::format("%n{0} = onnx.Tanh(%m{0})\n", i);
      state = fmt::format("n{}", i);
    }
    Model model = ParseText(text + "%y = onnx.Neg(%" + state + ")\n}").value();
    ASSERT_TRUE(RunPipeline(model, {}).ok());
    EXPECT_EQ(model.main().num_nodes(), 13u);
  }
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

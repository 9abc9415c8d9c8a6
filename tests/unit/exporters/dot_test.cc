// SPDX-License-Identifier: Apache-2.0
// Graphs as text of Graphviz.
#include "exporters/dot/write_model.h"

#include <gtest/gtest.h>

#include "core/ir/parse.h"

namespace dragoman {
namespace {

TEST(Dot, SubgraphsAreClusters) {
  const Result<Model> model = ParseText(R"(graph(%c: bool[], %x: f32[2]) -> (%y) {
    const %w: f32[8] = [1, 2, 3, 4, 5, 6, 7, 8]
    const %s: i64[1] = [3]
    %a: f32[2] = onnx.Add(%x, %w) {axis = 1, t = i64[5] [1, 2, 3, 4, 5]} @"a\"b"
    %y = onnx.If(%c) {then_branch = graph t() -> (%n) { %n = onnx.Neg(%a) }}
  })");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(PrintDot(*model), R"(digraph model {
  compound = true;
  node [shape = box];
  subgraph cluster_0 {
    label = "entry main";
    n0 [shape = ellipse, label = "%c\nbool[]"];
    n1 [shape = ellipse, label = "%x\nf32[2]"];
    n2 [shape = note, label = "%w\nf32[8]"];
    n3 [shape = note, label = "%s\ni64[1] [3]"];
    n4 [label = "onnx.Add\na\"b\naxis = 1\nt = i64[5] ..."];
    n5 [label = "onnx.If"];
    subgraph cluster_1 {
      label = "graph t of n5";
      n6 [label = "onnx.Neg"];
      n7 [shape = ellipse, label = "output n"];
    }
    n8 [shape = ellipse, label = "output y"];
  }
  n1 -> n4;
  n2 -> n4;
  n0 -> n5;
  n5 -> n8 [label = "?"];
  n4 -> n6 [label = "f32[2]"];
  n6 -> n7 [label = "?"];
}
)");
}

}  // namespace
}  // namespace dragoman

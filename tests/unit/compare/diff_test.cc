// SPDX-License-Identifier: Apache-2.0
// What a diff lists for one change of each kind.
#include "core/compare/diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/ir/parse.h"

namespace dragoman {
namespace {

constexpr std::string_view kBase = R"(graph g(%x: f32[2]) -> (%y) {
    const %w: f32[2] = [1.0, -4.0]
    %a: f32[2] = onnx.Sub(%x, %w) @sub
    %b: f32[2] = onnx.Foo(%a) {axis = 1} @foo
    %y: f32[2] = onnx.Div(%b, %x) @div
})";

Model Parse(std::string_view text) {
  Result<Model> model = ParseText(text);
  EXPECT_TRUE(model.ok()) << model.error().ToString() << text;
  return model.ok() ? std::move(model).value() : Model();
}

// The base with its first `old_text` replaced.
std::string With(std::string_view old_text, std::string_view new_text) {
  std::string text(kBase);
  return text.replace(text.find(old_text), old_text.size(), new_text);
}

// The lines of the rendered edit list.
std::string Edits(std::string_view changed, const CompareOptions& options = {}) {
  const Result<DiffReport> report = DiffModels(Parse(kBase), Parse(changed), options);
  if (!report.ok()) return report.error().ToString();
  const std::string text = RenderText(*report);
  const std::size_t count = text.find(" edit");
  return count == std::string::npos ? text : text.substr(text.find('\n', count) + 1);
}

TEST(DiffModels, EqualModels) { EXPECT_EQ(Edits(kBase), "equal (source level)\n"); }

TEST(DiffModels, ChangedAttribute) {
  EXPECT_EQ(Edits(With("axis = 1", "axis = 2")),
            "  changed attribute: node 'foo' (onnx.Foo): attribute 'axis': 1 -> 2\n");
}

TEST(DiffModels, ChangedElementsOfListsAndSparseTensors) {
  const auto with = [](std::string_view value) {
    return Parse("graph g(%x: f32[2]) -> (%y) { %y = onnx.Foo(%x) {a = " + std::string(value) +
                 "} @foo }");
  };
  const auto said = [&](std::string_view a, std::string_view b) {
    const Result<DiffReport> report = DiffModels(with(a), with(b), {});
    if (!report.ok()) return report.error().ToString();
    return report->edits.at(0).old_value + " -> " + report->edits.at(0).new_value;
  };
  EXPECT_EQ(said("tensors [f32[1] [1.0], f32[1] [2.0]]", "tensors [f32[1] [1.0], f32[1] [2.5]]"),
            "[tensor f32[1] 1.0, tensor f32[1] 2.0] -> [tensor f32[1] 1.0, tensor f32[1] 2.5]");
  EXPECT_EQ(said("graphs [graph p() -> () { }]", "graphs []"),
            "list of 1 graphs -> list of 0 graphs");
  EXPECT_EQ(said("sparse [5] (f32[1] [2.0], i64[1] [4])", "sparse [5] (f32[1] [2.0], i64[1] [3])"),
            "sparse f32[5], elements tensor f32[1] 2.0, indices tensor i64[1] 4 -> "
            "sparse f32[5], elements tensor f32[1] 2.0, indices tensor i64[1] 3");
}

TEST(DiffModels, ChangedOp) {
  EXPECT_EQ(Edits(With("onnx.Foo", "onnx.Bar")),
            "  changed op: node 'foo' (onnx.Foo) / node 'foo' (onnx.Bar): onnx.Foo -> onnx.Bar\n");
}

TEST(DiffModels, ChangedOperand) {
  EXPECT_EQ(Edits(With("onnx.Div(%b, %x)", "onnx.Div(%b, %a)")),
            "  changed operand: node 'div' (onnx.Div): operand 1: input 'x' f32[2] -> "
            "result 0 'a' of node 'sub' (onnx.Sub)\n");
}

TEST(DiffModels, ChangedConstant) {
  EXPECT_EQ(Edits(With("-4.0", "-4.5")),
            "  changed constant: node 'sub' (onnx.Sub): operand 1: constant 'w' f32[2] -> "
            "constant 'w' f32[2]; 1 of 2 elements differ, the first is number 1, by at most 0.5 "
            "(relative 0.111111)\n");
}

TEST(DiffModels, ChangedType) {
  EXPECT_EQ(Edits(With("%b: f32[2]", "%b: f32[3]")),
            "  changed type: node 'foo' (onnx.Foo): type of result 0: f32[2] -> f32[3]\n");
}

// As before and after shape inference.
TEST(DiffModels, WhatIsNotKnownOfAResultIsNoDifferenceUnlessAsked) {
  for (const std::string_view type : {"%b: f32[?]", "%b: f32[*]", "%b"}) {
    const std::string changed = With("%b: f32[2]", type);
    EXPECT_EQ(Edits(changed), "equal (source level)\n") << type;
    EXPECT_NE(Edits(changed, {.strict_types = true}), "equal (source level)\n") << type;
  }
  EXPECT_NE(Edits(With("%x: f32[2]", "%x: f32[?]")), "equal (source level)\n");
}

TEST(DiffModels, TwoNodesInsertedOnOneEdge) {
  EXPECT_EQ(Edits(With("%b: f32[2] = onnx.Foo(%a)",
                       "%m = onnx.Neg(%a) @neg\n%n = onnx.Abs(%m) @abs\n"
                       "%b: f32[2] = onnx.Foo(%n)")),
            "  inserted node: node 'neg' (onnx.Neg): first operand: "
            "result 0 'a' of node 'sub' (onnx.Sub)\n"
            "  inserted node: node 'abs' (onnx.Abs): first operand: "
            "result 0 'm' of node 'neg' (onnx.Neg)\n");
}

TEST(DiffModels, InsertedNodeExplainsTheEdgeItStandsOn) {
  EXPECT_EQ(
      Edits(With("%b: f32[2] = onnx.Foo(%a)", "%n = onnx.Neg(%a) @neg\n%b: f32[2] = onnx.Foo(%n)")),
      "  inserted node: node 'neg' (onnx.Neg): first operand: "
      "result 0 'a' of node 'sub' (onnx.Sub)\n");
}

// A chain of equal blocks of three nodes without names, each with weights of its own; the blocks
// named in `extra` also have an Abs after their Foo.
std::string Chain(const std::vector<int>& extra, float weight) {
  std::string text = "graph g(%x: f32[2]) -> (%y) {\n", value = "%x";
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    text += "const %w" + n + ": f32[2] = [" + std::to_string(weight + static_cast<float>(i)) +
            ", 1.0]\n%a" + n + " = onnx.Sub(" + value + ", %w" + n + ")\n%b" + n +
            " = onnx.Foo(%a" + n + ")\n";
    const bool more = std::ranges::find(extra, i) != extra.end();
    if (more) text += "%c" + n + " = onnx.Abs(%b" + n + ")\n";
    value = (more ? "%c" : "%b") + n;
  }
  return text + "%y = onnx.Neg(" + value + ")\n}";
}

// People's commonest question: what did fine-tuning change besides the weights?
TEST(DiffModels, LayersInsertedAmongChangedWeights) {
  const Model a = Parse(Chain({}, 1)), b = Parse(Chain({3, 7, 8}, 1.25));
  const Result<DiffReport> report = DiffModels(a, b, {});
  ASSERT_TRUE(report.ok());
  std::map<Edit::Kind, int> counts;
  for (const Edit& edit : report->edits) ++counts[edit.kind];
  EXPECT_EQ(counts, (std::map<Edit::Kind, int>{{Edit::Kind::kChangedConstant, 12},
                                               {Edit::Kind::kInsertedNode, 3}}))
      << RenderText(*report);
  EXPECT_NE(RenderText(*report).find("\n  12 × changed constant: nodes 'a*' (onnx.Sub): operand 1; "
                                     "by at most 0.25 (relative 0.2)\n"),
            std::string::npos)
      << RenderText(*report);
}

// A chain of one node for each letter: their operators.
Model Letters(std::string_view letters) {
  std::string text = "graph g(%x: f32[2]) -> (%y) {\n", value = "%x";
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const std::string result = i + 1 == letters.size() ? "%y" : "%v" + std::to_string(i);
    text += result + ": f32[2] = onnx." + letters[i] + "(" + value + ")\n";
    value = result;
  }
  return Parse(text + "}");
}

std::size_t NumEdits(const Model& a, const Model& b) {
  const Result<DiffReport> report = DiffModels(a, b, {});
  return report.ok() ? report->edits.size() : 0;
}

// A block between two edits looks like its neighbours, too.
TEST(DiffModels, SeveralEditsOfRepeatedBlocks) {
  const std::string_view blocks = "CRCRPCRCRPCRCRPCRCRPCRCRCRCRPCRCRCRCRP";
  const auto edits_to = [&](std::string_view edited) {
    return NumEdits(Letters(blocks), Letters(edited));
  };
  EXPECT_EQ(edits_to("CRCRPRCRPCRCRPCRCRPCRCRSCRCRPCRCRCRRP"), 3u);
  EXPECT_EQ(edits_to("CCRPCRCRPCRCRPCRCRPSCRCRCRCRPCSRCRCRCRP"), 3u);
  EXPECT_EQ(edits_to("CRCRPCRCRPCRCRCRCRPCRCRCRSCRPCRCRCSRCSP"), 4u);
  EXPECT_EQ(edits_to("CCRPCRCRSCRCRPCRCRPCRCRRCRPCRCRCRSRP"), 4u);
}

// Six blocks, each with a Shape of its own: that of `axis` with an attribute, that of `cut` without
// its Cast, that of `more` with a Sin before it.
Model Twins(int axis, int cut, int more) {
  std::string text = "graph g(%x: f32[2]) -> (%y) {\n", value = "%x";
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i), next = i == 5 ? "%y" : "%r" + n;
    text += "%s" + n + " = onnx.Shape(%x)\n%k" + n + " = onnx.Key()\n%g" + n + " = onnx.Gather(%s" +
            n + ", %k" + n + ")\n" + (i == cut ? next : "%o" + n) + " = onnx.OneHot(" + value +
            ", %g" + n + ")" + (i == axis ? " {axis = 2}" : "") + "\n";
    if (i == more) text += "%q" + n + " = onnx.Sin(%o" + n + ")\n";
    if (i != cut) text += next + " = onnx.Cast(" + (i == more ? "%q" : "%o") + n + ")\n";
    value = next;
  }
  return Parse(text + "}");
}

// Of what computes the same for several readers, each goes with its own.
TEST(DiffModels, LikeProducersGoWithTheirReaders) {
  const Model before = Twins(-1, -1, -1);
  EXPECT_EQ(NumEdits(before, Twins(0, 1, -1)), 2u);
  EXPECT_EQ(NumEdits(before, Twins(-1, 3, 5)), 2u);
  EXPECT_EQ(NumEdits(before, Twins(2, 3, 5)), 3u);
}

// Changes of what nothing reads, in graphs without names of nodes.
std::string EditsOf(std::string_view a, std::string_view b) {
  const std::string head = "dragoman 1 source onnx\nopset \"\" 17\nentry main";
  const Result<DiffReport> report =
      DiffModels(Parse(head + std::string(a)), Parse(head + std::string(b)), {});
  if (!report.ok()) return report.error().ToString();
  const std::string text = RenderText(*report);
  const std::size_t count = text.find(" edit");
  return count == std::string::npos ? text : text.substr(text.find('\n', count) + 1);
}

TEST(DiffModels, ChangedOperandOfADeadNodeOfABody) {
  const auto with = [](std::string_view dead) {
    return "(%c: bool[], %x: f32[2], %z: f32[2]) -> (%y) { %y = onnx.If(%c) {then_branch = graph "
           "t() -> (%r) { " +
           std::string(dead) +
           " %r = onnx.Neg(%x) }, else_branch = graph e() -> (%r) { %r = onnx.Abs(%x) }} }";
  };
  EXPECT_EQ(
      EditsOf(with("%d = onnx.Relu(%x)"), with("%d = onnx.Relu(%z)")),
      "  changed operand: node 'd' (onnx.Relu): operand 0: input 'x' f32[2] -> input 'z' f32[2]\n");
  EXPECT_EQ(
      EditsOf(with("%d = onnx.Relu(%x) %e = onnx.Relu(%z)"),
              with("%e = onnx.Relu(%c) %d = onnx.Relu(%x)")),
      "  changed operand: node 'e' (onnx.Relu): operand 0: input 'z' f32[2] -> input 'c' bool[]\n");
  EXPECT_EQ(
      EditsOf(with("%d = onnx.Foo(%x) %e = onnx.Bar(%d, %x)"),
              with("%d = onnx.Foo(%z) %e = onnx.Bar(%d, %x)")),
      "  changed operand: node 'd' (onnx.Foo): operand 0: input 'x' f32[2] -> input 'z' f32[2]\n");
}

TEST(DiffModels, ChangedUnusedConstant) {
  const auto with = [](std::string_view constants) {
    return "(%x: f32[2]) -> (%y) { " + std::string(constants) + " %y = onnx.Neg(%x) }";
  };
  EXPECT_EQ(EditsOf(with("const %w: f32[2] = [1.0, 2.0] const %v: f32[2] = [5.0, 6.0]"),
                    with("const %v: f32[2] = [5.0, 6.0] const %w: f32[2] = [1.0, 4.0]")),
            "  changed constant: constant 'w' f32[2]: unused constant; 1 of 2 elements differ, the "
            "first is number 1, by at most 2 (relative 0.5)\n");
  EXPECT_EQ(EditsOf(with("const %w: f32[2] = [1.0, 2.0]"), with("const %v: i64[1] = [1]")),
            "  changed constant: constant 'w' f32[2]: unused constant removed\n"
            "  changed constant: constant 'v' i64[1]: unused constant inserted\n");
}

TEST(DiffModels, ChangedInputAndOutput) {
  EXPECT_EQ(Edits(With("(%x: f32[2]) -> (%y)", "(%x: f32[2], %z: i64[]) -> (%y, %z)")),
            "  changed input: input 'z' i64[]: input 1 inserted\n"
            "  changed output: input 'z' i64[]: output 1\n");
}

TEST(DiffModels, VerdictIsInWords) {
  const auto verdict = [](std::string_view a, std::string_view b) {
    const Result<DiffReport> report = DiffModels(Parse(a), Parse(b), {});
    return report.ok() ? Verdict(*report) : report.error().ToString();
  };
  const auto weights = [](std::string_view w, std::string_view v) {
    return "graph g(%x: f32[2]) -> (%y) { const %w: f32[2] = " + std::string(w) +
           " const %v: f32[2] = " + std::string(v) +
           " %t = onnx.Mul(%x, %w) %y = onnx.Add(%t, %v) @add }";
  };
  const std::string base = weights("[1.0, 2.0]", "[3.0, 4.0]");
  EXPECT_EQ(verdict(base, base), "");
  EXPECT_EQ(verdict(base, weights("[1.0, 2.5]", "[3.0, 4.0]")),
            "same structure; 1 of 2 weights differ, by at most 0.5");
  EXPECT_EQ(verdict(base, weights("[1.0, 2.5]", "[3.0, 5.0]")),
            "same structure; 2 of 2 weights differ, by at most 1");
  std::string longer = base;
  longer.replace(longer.find("%y = onnx.Add(%t, %v)"), 21,
                 "%u = onnx.Dropout(%t) @drop %y = onnx.Add(%u, %v)");
  EXPECT_EQ(verdict(base, longer), "1 node inserted: node 'drop' (onnx.Dropout)");
  EXPECT_EQ(verdict(longer, base), "1 node removed: node 'drop' (onnx.Dropout)");
}

constexpr std::string_view kJson = R"json({
  "equal": false,
  "level": "source",
  "verdict": "1 attribute changed: node 'foo' (onnx.Foo) attribute 'axis'",
  "first": {
    "reason": "attribute 'axis' differs",
    "a": "node 'foo' (onnx.Foo)",
    "b": "node 'foo' (onnx.Foo)",
    "expected": "1",
    "found": "2",
    "path": [
      "entry 'main'",
      "output 0 of entry 'main'",
      "operand 0 of node 'div' (onnx.Div)"
    ]
  },
  "counts": {
    "changed attribute": 1
  },
  "edits": [
    {
      "kind": "changed attribute",
      "operator": "onnx.Foo",
      "path": [
        "main"
      ],
      "node_a": "foo",
      "node_b": "foo",
      "attribute": "axis",
      "before": "1",
      "after": "2"
    }
  ]
}
)json";

TEST(DiffModels, TextLeadsWithTheFirstPlaceAndJsonSaysTheSame) {
  const Result<DiffReport> report =
      DiffModels(Parse(kBase), Parse(With("axis = 1", "axis = 2")), {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(
      RenderText(*report),
      "different (source level): 1 attribute changed: node 'foo' (onnx.Foo) attribute 'axis'\n"
      "first: attribute 'axis' differs\n"
      "  in the first:  node 'foo' (onnx.Foo): 1\n"
      "  in the second: node 'foo' (onnx.Foo): 2\n"
      "  path: entry 'main'\n"
      "        output 0 of entry 'main'\n"
      "        operand 0 of node 'div' (onnx.Div)\n"
      "1 edit: 1 changed attribute\n"
      "  changed attribute: node 'foo' (onnx.Foo): attribute 'axis': 1 -> 2\n");
  EXPECT_EQ(RenderJson(*report), kJson);
}

}  // namespace
}  // namespace dragoman

// Passes that are checked on random data: one that changes what is computed is undone.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/rewrite/pass_context.h"
#include "core/rewrite/pipeline.h"
#include "core/rewrite/random_check.h"

namespace dragoman {
namespace {

constexpr std::int64_t kMuch = 1'000'000'000;

Model Parse(const std::string& text) {
  Result<Model> model = ParseText(text);
  EXPECT_TRUE(model.ok() && InferModel(*model).ok()) << text;
  return std::move(*model);
}

// Of two graphs with equal interfaces: what differs on random data.
std::string Difference(const std::string& before, const std::string& after) {
  const Model first = Parse(before);
  const Model second = Parse(after);
  const auto check = RandomCheck::Make(first, first.entries.front(), kMuch);
  if (!check) return "not checked";
  return check->FindDifference(second.main());
}

TEST(RandomCheck, TheOrderOfSumsIsNoDifference) {
  EXPECT_EQ(Difference(R"(graph main(%x: f32[n, 4], %y: f32[4]) -> (%z) {
                            const %axis: i64[1] = [1]
                            %s = onnx.Add(%x, %y)
                            %z = onnx.ReduceSum(%s, %axis)
                          })",
                       R"(graph main(%x: f32[n, 4], %y: f32[4]) -> (%z) {
                            const %axis: i64[1] = [1]
                            const %all: i64[1] = [0]
                            %a = onnx.ReduceSum(%x, %axis)
                            %b = onnx.ReduceSum(%y, %all) {keepdims = 0}
                            %z = onnx.Add(%b, %a)
                          })"),
            "");
}

TEST(RandomCheck, NamesOutputPlaceAndSizes) {
  const std::string found = Difference(R"(graph main(%x: f32[n]) -> (%z) { %z = onnx.Neg(%x) })",
                                       R"(graph main(%x: f32[n]) -> (%z) { %z = onnx.Abs(%x) })");
  EXPECT_NE(found.find("output 'z' is "), std::string::npos) << found;
  EXPECT_NE(found.find(", for n = "), std::string::npos) << found;
}

TEST(RandomCheck, AnErrorWhereThereWasNoneIsADifference) {
  const std::string found = Difference(R"(graph main(%x: f32[n]) -> (%z) { %z = onnx.Neg(%x) })",
                                       R"(graph main(%x: f32[n]) -> (%z) {
                      const %far: i64[] = 1000
                      %z = onnx.Gather(%x, %far)
                    })");
  EXPECT_NE(found.find("it fails: "), std::string::npos) << found;
}

TEST(RandomCheck, ALoopThatDoesNotEndProvesNothing) {
  const std::string text = R"(graph main(%x: f32[2], %go: bool[]) -> (%z) {
    %z = onnx.Loop(_, %go, %x) {body = graph(%i: i64[], %c: bool[], %v: f32[2]) -> (%c2, %w) {
      %c2 = onnx.Identity(%c)
      %w = onnx.Neg(%v)
    }}
  })";
  EXPECT_EQ(Difference(text, text), "");
}

TEST(RandomCheck, LeavesOutWhatCannotBeDrawnOrIsLarge) {
  EXPECT_EQ(Difference("graph main(%x: f32[*]) -> (%z) { %z = onnx.Neg(%x) }",
                       "graph main(%x: f32[*]) -> (%z) { %z = onnx.Neg(%x) }"),
            "not checked");
  const Model large = Parse(R"(graph main(%x: f32[100, 100], %y: f32[100, 100]) -> (%z) {
    %z = onnx.MatMul(%x, %y)
  })");
  EXPECT_FALSE(RandomCheck::Make(large, large.entries.front(), 1'000'000));
  EXPECT_TRUE(RandomCheck::Make(large, large.entries.front(), 2'000'000));
}

// Makes sums of differences.
Result<bool> AddInsteadOfSub(Graph& graph, PassContext& context) {
  bool changed = false;
  for (Node* node = graph.first_node(); node != nullptr;) {
    Node* next = node->next();
    if (node->Is("Sub")) {
      DRAGOMAN_ASSIGN(Value * sum,
                      context.Insert(*node, "Add", {{node->operand(0), node->operand(1)}}));
      context.Replace(*node, {{sum}});
      changed = true;
    }
    node = next;
  }
  return changed;
}

TEST(CheckedPass, IsUndoneWhereItChangesWhatIsComputed) {
  constexpr PassInfo kPasses[] = {
      {.name = "add", .sentence = "", .run = AddInsteadOfSub, .checked = true}};
  const std::string text = "graph main(%x: f32[n], %y: f32[n]) -> (%z) { %z = onnx.Sub(%y, %x) }";
  Model model = Parse(text);
  const std::string before = PrintGraph(model.main());
  std::vector<std::string> warnings;
  const Status status = RunPasses(
      kPasses, model, {.passes = "add", .explain = {}, .warn = [&](std::string_view message) {
                         warnings.emplace_back(message);
                       }});
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(PrintGraph(model.main()), before);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("a bug in dragoman: pass add"), std::string::npos) << warnings[0];
}

}  // namespace
}  // namespace dragoman

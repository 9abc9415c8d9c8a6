// SPDX-License-Identifier: Apache-2.0
// Passes that are checked on random data: one that changes what is computed is undone.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
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

// Makes sums of differences, and fails at an Abs. Only of those with 0 this is right.
Result<bool> AddInsteadOfSub(Graph& graph, PassContext& context, bool asks) {
  bool changed = false;
  for (Node* node = graph.first_node(); node != nullptr;) {
    Node* next = node->next();
    if (node->Is("Abs")) return Internal("Abs is not expected");
    if (node->Is("Sub") && (!asks || context.sites.Take(*node))) {
      DRAGOMAN_ASSIGN(Value * sum,
                      context.Insert(*node, "Add", {{node->operand(0), node->operand(1)}}));
      context.Replace(*node, {{sum}});
      changed = true;
    }
    node = next;
  }
  return changed;
}
Result<bool> AddEverywhere(Graph& graph, PassContext& context) {
  return AddInsteadOfSub(graph, context, /*asks=*/false);
}
Result<bool> AddAtSites(Graph& graph, PassContext& context) {
  return AddInsteadOfSub(graph, context, /*asks=*/true);
}

constexpr PassInfo kPasses[] = {
    {.name = "add", .sentence = "", .run = AddEverywhere, .checked = true},
    {.name = "add-at-sites", .sentence = "", .run = AddAtSites, .checked = true}};

struct Outcome {
  std::string graph;
  std::vector<std::string> warnings;
};
Outcome Apply(const std::string& pass, const std::string& text,
              std::int64_t checked_work = kCheckedWork) {
  Model model = Parse(text);
  Outcome outcome;
  const auto warn = [&](std::string_view line) { outcome.warnings.emplace_back(line); };
  const Status status = RunPasses(
      kPasses, model, {.passes = pass, .explain = {}, .warn = warn, .checked_work = checked_work});
  EXPECT_TRUE(status.ok()) << status.error().ToString();
  outcome.graph = PrintGraph(model.main());
  return outcome;
}

std::string Print(const std::string& text) { return PrintGraph(Parse(text).main()); }

void ExpectWarning(const Outcome& outcome, std::string_view begin, std::string_view end) {
  ASSERT_EQ(outcome.warnings.size(), 1u);
  EXPECT_TRUE(outcome.warnings[0].starts_with(begin)) << outcome.warnings[0];
  EXPECT_TRUE(outcome.warnings[0].ends_with(end)) << outcome.warnings[0];
}

TEST(CheckedPass, IsUndoneWhereItChangesWhatIsComputed) {
  const std::string text = "graph main(%x: f32[n], %y: f32[n]) -> (%z) { %z = onnx.Sub(%y, %x) }";
  const Outcome outcome = Apply("add", text);
  EXPECT_EQ(outcome.graph, Print(text));
  ExpectWarning(outcome,
                "a bug in dragoman: pass add changes what entry 'main' computes (output 'z' is ",
                "), so it is not applied; please report it");
}

TEST(CheckedPass, IsUndoneWhereItFails) {
  const std::string text = R"(graph main(%x: f32[n], %y: f32[n]) -> (%z) {
    %d = onnx.Sub(%y, %x)
    %z = onnx.Abs(%d)
  })";
  for (const std::int64_t checked_work : {kCheckedWork, std::int64_t{0}}) {
    for (const char* pass : {"add", "add-at-sites"}) {
      const Outcome outcome = Apply(pass, text, checked_work);
      EXPECT_EQ(outcome.graph, Print(text));
      ExpectWarning(outcome,
                    std::string("a bug in dragoman: pass ") + pass + " fails on entry 'main' (",
                    "Abs is not expected), so it is not applied; please report it");
    }
  }
}

TEST(CheckedPass, LeavesOutTheSitesAtWhichItIsWrong) {
  const Outcome outcome = Apply("add-at-sites",
                                R"(graph main(%x: f32[n], %y: f32[n]) -> (%z, %e) {
                                  const %zero: f32[] = 0.0
                                  %a = onnx.Sub(%x, %zero)
                                  %b = onnx.Sub(%a, %y)
                                  %c = onnx.Sub(%b, %zero)
                                  %d = onnx.Sub(%c, %zero)
                                  %e = onnx.Sub(%d, %x)
                                  %z = onnx.Sub(%d, %zero)
                                })");
  ASSERT_EQ(outcome.warnings.size(), 2u);
  EXPECT_TRUE(outcome.warnings[0].ends_with("so it is not applied at %b; please report it"));
  EXPECT_TRUE(outcome.warnings[1].ends_with("so it is not applied at %e; please report it"));
  const Model after = Parse(outcome.graph);
  std::size_t left = 0;
  for (const Node& node : after.main().nodes()) left += node.Is("Sub") ? 1 : 0;
  EXPECT_EQ(left, 2u) << outcome.graph;
}

}  // namespace
}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// A property test of every rewrite that the registry of passes knows or the C++ generator applies,
// pattern by pattern: graphs are drawn around its pattern, most of them nearly what it looks for,
// and run before and after it, alone and among all passes. A rewrite without a drawing is a
// failure, and so is one that never changed anything.
//
// DRAGOMAN_ROUNDS=N draws N graphs a rewrite, from DRAGOMAN_SEED on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/onednn/plan/merge_products.h"
#include "codegen/onednn/plan/simplify.h"
#include "core/analysis/inference.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/rewrite/pass_context.h"
#include "core/rewrite/pipeline.h"
#include "tests/unit/drawn_rewrites/judge.h"

namespace dragoman::drawn {
namespace {

constexpr std::uint64_t kRounds = 150;
constexpr int kMostTurns = 32;  // until a rewrite must find nothing more
// Which part of the drawn graphs a rewrite must have changed, and which must be valid.
constexpr std::uint64_t kLeastChanged = 25, kLeastValid = 3;

std::uint64_t Environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// A pattern, a pass that is a function, or one of models, which are not passes of the registry.
struct Rewrite {
  std::string_view name;
  const PassInfo* pass = nullptr;
  const Pattern* pattern = nullptr;
  Status (*rewrite_model)(Model& model) = nullptr;
};

std::vector<Rewrite> AllRewrites() {
  std::vector<Rewrite> rewrites;
  for (const PassInfo& pass : AllPasses()) {
    if (pass.run != nullptr) rewrites.push_back({pass.name, &pass});
    for (const PatternFamily family : pass.families) {
      for (const Pattern& pattern : family()) rewrites.push_back({pattern.name, &pass, &pattern});
    }
  }
  for (const PatternFamily family : {onednn::SplittingPatterns, onednn::TransposedConvPatterns,
                                     onednn::ProductPatterns, onednn::RowPatterns}) {
    for (const Pattern& pattern : family()) rewrites.push_back({pattern.name, nullptr, &pattern});
  }
  rewrites.push_back({"merge-products", nullptr, nullptr, onednn::MergeProducts});
  return rewrites;
}

std::vector<DrawnPattern> AllDrawn() {
  std::vector<DrawnPattern> all;
  for (const auto family : {DrawnCopies, DrawnMoves, DrawnChannelsLast, DrawnRows, DrawnLists,
                            DrawnSizes, DrawnProducts, DrawnSpellings, DrawnFunctions, DrawnMasks,
                            DrawnPlaces, DrawnOperands, DrawnChannelNorms, DrawnAttention,
                            DrawnQuantized, DrawnGraphs, DrawnLoops, DrawnSimplified}) {
    all.insert(all.end(), family().begin(), family().end());
  }
  return all;
}

const DrawnPattern* FindDrawn(std::string_view name) {
  static const std::vector<DrawnPattern> all = AllDrawn();
  const auto found = std::ranges::find(all, name, &DrawnPattern::name);
  return found != all.end() ? &*found : nullptr;
}

TEST(DrawnRewrites, EveryRewriteIsDrawn) {
  std::multiset<std::string_view> registered, drawn;
  for (const Rewrite& rewrite : AllRewrites()) registered.insert(rewrite.name);
  for (const DrawnPattern& pattern : AllDrawn()) drawn.insert(pattern.name);
  EXPECT_EQ(drawn, registered);
}

Result<bool> ApplyToBodies(const Pattern& pattern, Graph& graph, PassContext& context) {
  DRAGOMAN_ASSIGN(bool changed, ApplyPatterns(graph, context, {&pattern, 1}));
  for (Node& node : graph.nodes()) {
    for (Graph* body : node.subgraphs()) {
      DRAGOMAN_ASSIGN(const bool applied, ApplyToBodies(pattern, *body, context));
      changed = changed || applied;
    }
  }
  return changed;
}

// Whether it changed anything. Errors: also that it finds no end.
Result<bool> ApplyPattern(const Pattern& pattern, Model& model) {
  Graph& graph = *model.entries.front().graph;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(graph, {}));
    DRAGOMAN_ASSIGN(const bool changed, ApplyToBodies(pattern, graph, context));
    if (Status status = InferModel(model); !status.ok()) return std::move(status).error();
    if (!changed) return turn > 0;
  }
  return Internal("it finds no end");
}

Result<bool> ApplyPass(PassInfo pass, Model& model) {
  pass.checked = false;  // what it does wrong is to be seen
  const std::string before = PrintGraph(model.main());
  DRAGOMAN_TRY(RunPasses({&pass, 1}, model, {.passes = std::string(pass.name)}));
  return PrintGraph(model.main()) != before;
}

Result<bool> Apply(const Rewrite& rewrite, Model& model) {
  if (rewrite.pattern != nullptr) return ApplyPattern(*rewrite.pattern, model);
  if (rewrite.pass != nullptr) return ApplyPass(*rewrite.pass, model);
  const std::string before = PrintGraph(model.main());
  DRAGOMAN_TRY(rewrite.rewrite_model(model));
  return PrintGraph(model.main()) != before;
}

// What the C++ generator makes of a model.
Status ApplyForCpp(Model& model) {
  DRAGOMAN_TRY(onednn::SimplifyForCpp(model));
  DRAGOMAN_TRY(onednn::MergeProducts(model));
  return InferModel(model);
}

// Whether a body gives a value of a graph around it, which no ONNX file may.
bool GivesOuterValue(const Model& model) {
  bool found = false;
  const Graph& main = model.main();
  ForEachGraph(main, [&](const Graph& graph) {
    for (const Use& output : graph.outputs())
      found = found || (&graph != &main && output.value()->graph() != &graph);
  });
  return found;
}

// What is wrong with a model after a rewrite; empty: nothing.
std::string FindFault(const Judge& judge, const Model& after, Exactness exactness) {
  if (const Status status = Verify(after); !status.ok()) return status.error().ToString();
  if (GivesOuterValue(after)) return "a body gives a value of a graph around it";
  const std::string text = PrintGraph(after.main());
  const Result<Model> parsed = ParseText(text);
  if (!parsed.ok()) return "its text cannot be read: " + parsed.error().ToString();
  return judge.FindDifference(after, exactness);
}

class DrawnRewrite : public testing::TestWithParam<Rewrite> {
 protected:
  // Rewrites one drawn graph.
  void Check(const DrawnPattern& drawn, std::uint64_t seed) {
    Drawing drawing(seed);
    drawn.draw(drawing);
    const std::string text = drawing.Text();
    Result<Model> before = ParseText(text);
    ASSERT_TRUE(before.ok()) << before.error().ToString() << "\n" << text;
    if (!InferModel(*before).ok() || !Verify(*before).ok()) return;
    const bool edges = drawn.exactness == Exactness::kExact && seed % 2 == 0;
    const Judge judge(*before, drawing, seed, drawn.least_size, edges);
    if (!judge.HasRuns()) return;
    ++valid_;
    Model after = Clone(*before);
    const Result<bool> changed = Apply(GetParam(), after);
    changed_ += changed.ok() && *changed ? 1 : 0;
    ASSERT_TRUE(changed.ok()) << changed.error().ToString() << Story(seed, *before);
    const std::string fault = FindFault(judge, after, drawn.exactness);
    ASSERT_EQ(fault, "") << Story(seed, *before) << "=>\n" << PrintGraph(after.main());
    CheckPipeline(judge, *before, seed, "default");
    CheckPipeline(judge, *before, seed, "default,move-dequantization,use-integer-products");
    if (edges && text.find("Gemm(") != std::string::npos) {
      // Programs round its product and sum otherwise, which functions of large numbers make much
      // of.
      CheckForCpp(Judge(*before, drawing, seed, drawn.least_size, /*edges=*/false), *before, seed);
    } else {
      CheckForCpp(judge, *before, seed);
    }
  }

  std::uint64_t valid_ = 0, changed_ = 0;

 private:
  static std::string Story(std::uint64_t seed, const Model& before) {
    return fmt::format("\nDRAGOMAN_SEED={} DRAGOMAN_ROUNDS=1\n{}\n", seed,
                       PrintGraph(before.main()));
  }

  static void CheckForCpp(const Judge& judge, const Model& before, std::uint64_t seed) {
    Model after = Clone(before);
    const Status status = ApplyForCpp(after);
    ASSERT_TRUE(status.ok()) << status.error().ToString() << "\nfor C++" << Story(seed, before);
    ASSERT_EQ(FindFault(judge, after, Exactness::kNearest), "")
        << "for C++" << Story(seed, before) << "=>\n"
        << PrintGraph(after.main());
  }

  static void CheckPipeline(const Judge& judge, const Model& before, std::uint64_t seed,
                            const std::string& passes) {
    Model after = Clone(before);
    std::string fault;
    const auto warn = [&](std::string_view message) { fault = message; };
    const Status status = RunPipeline(after, {.passes = passes, .explain = {}, .warn = warn});
    ASSERT_TRUE(status.ok()) << status.error().ToString() << "\n--passes " << passes
                             << Story(seed, before);
    if (fault.empty()) fault = FindFault(judge, after, Exactness::kNearest);
    ASSERT_EQ(fault, "") << "--passes " << passes << Story(seed, before) << "=>\n"
                         << PrintGraph(after.main());
  }
};

TEST_P(DrawnRewrite, KeepsWhatIsComputed) {
  const DrawnPattern* drawn = FindDrawn(GetParam().name);
  ASSERT_NE(drawn, nullptr) << "no function draws around it";
  const std::uint64_t first = Environment("DRAGOMAN_SEED", 1);
  const std::uint64_t rounds = Environment("DRAGOMAN_ROUNDS", kRounds);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    Check(*drawn, seed);
    if (HasFatalFailure()) return;
  }
  RecordProperty("valid", static_cast<int>(valid_));
  RecordProperty("changed", static_cast<int>(changed_));
  if (rounds < kRounds) return;
  EXPECT_GE(valid_ * kLeastValid, rounds) << "too few of the drawn graphs are valid";
  EXPECT_GE(changed_ * kLeastChanged, rounds) << "too few of the drawn graphs were changed";
}

INSTANTIATE_TEST_SUITE_P(Rewrites, DrawnRewrite, testing::ValuesIn(AllRewrites()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace dragoman::drawn

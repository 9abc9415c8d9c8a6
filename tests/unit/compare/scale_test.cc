// SPDX-License-Identifier: Apache-2.0
// Graphs of a million nodes, and many entries: time and memory of equality must stay linear.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>
#include <string>
#include <vector>

#include "core/compare/equal.h"
#include "core/compare/repeated_entries.h"

namespace dragoman {
namespace {

// In release builds; others are slower and larger.
#ifdef NDEBUG
constexpr int kNodes = 1'000'000;
#else
constexpr int kNodes = 50'000;
#endif
constexpr double kMaxSeconds = 10;  // of processor time, for each way to compare
constexpr long kMaxKilobytes = 2'000'000;

enum class Shape { kChain, kComb, kLadder, kSiblings };

Value* AddNode(Graph& graph, std::string_view op, std::vector<Value*> operands) {
  return graph.Append(InternOp("onnx", op), operands)->AddResult("");
}

// A ladder has 2^n paths. The last node is `last`.
Model Build(Shape shape, std::string_view last) {
  Model model;
  model.level = Level::kCommon;
  Entry& entry = model.entries.emplace_back();
  entry.name = "main";
  entry.graph = std::make_unique<Graph>();
  Graph& graph = *entry.graph;
  Value* const input = graph.AddInput("x", Type::Tensor(DType::kF32, std::vector<std::int64_t>{1}));
  Value* at = input;
  std::vector<Value*> all;
  for (int i = 1; i < kNodes; ++i) {
    if (shape == Shape::kChain) at = AddNode(graph, "Relu", {at});
    if (shape == Shape::kComb) at = AddNode(graph, "Sub", {at, input});
    if (shape == Shape::kLadder) at = AddNode(graph, "Sub", {at, at});
    if (shape == Shape::kSiblings) all.push_back(AddNode(graph, "Relu", {input}));
  }
  if (all.empty()) all.push_back(at);
  graph.AddOutput(AddNode(graph, last, all));
  return model;
}

class Scale : public ::testing::TestWithParam<Shape> {};

TEST_P(Scale, IsLinear) {
  const Model a = Build(GetParam(), "Concat"), b = Build(GetParam(), "Concat");
  for (const bool modulo_sharing : {false, true}) {
    CompareOptions options = {.level = Level::kCommon};
    options.modulo_sharing = modulo_sharing;
    const std::clock_t start = std::clock();
    const auto result = CompareModels(a, b, options);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    ASSERT_TRUE(result.ok());
    EXPECT_FALSE(result->has_value());
    EXPECT_LT(seconds, kMaxSeconds);
  }
  rusage usage = {};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  EXPECT_LT(usage.ru_maxrss, kMaxKilobytes);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Scale,
                         ::testing::Values(Shape::kChain, Shape::kComb, Shape::kLadder,
                                           Shape::kSiblings));

TEST(Scale, EqualSiblingsThatNothingUsesArePaired) {
  Model a = Build(Shape::kSiblings, "Concat"), b = Build(Shape::kSiblings, "Concat");
  for (Model* model : {&a, &b}) {
    Graph& graph = model->main();
    graph.SetOutput(0, graph.input(0));
    graph.Erase(graph.last_node());
    model->level = Level::kSource;
  }
  EXPECT_FALSE(CompareModels(a, b, {})->has_value());
  AddNode(b.main(), "Relu", {b.main().input(0)});
  EXPECT_TRUE(CompareModels(a, b, {})->has_value());
}

// Each of them twice; they differ far from their outputs.
TEST(Scale, EntriesAreComparedWithThoseLikeThemOnly) {
  constexpr int kEntries = 3'000;
  Model model;
  model.level = Level::kCommon;
  for (int i = 0; i < kEntries; ++i) {
    Entry& entry = model.entries.emplace_back();
    entry.name = "entry_" + std::to_string(i);
    entry.graph = std::make_unique<Graph>();
    Graph& graph = *entry.graph;
    Value* at = graph.AddInput("x", Type::Tensor(DType::kI64, std::vector<std::int64_t>{}));
    at = AddNode(graph, "Mul", {at, graph.AddConstant("c", Tensor::Int(i / 2))});
    for (int node = 0; node < 50; ++node) at = AddNode(graph, "Neg", {at});
    graph.AddOutput(at);
  }
  const std::clock_t start = std::clock();
  const std::vector<RepeatedEntry> dropped = DropRepeatedEntries(model);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, kMaxSeconds);
  ASSERT_EQ(dropped.size(), kEntries / 2);
  EXPECT_EQ(model.entries.size(), kEntries / 2);
  EXPECT_EQ(dropped.back().earlier, model.entries.back().name);
}

}  // namespace
}  // namespace dragoman

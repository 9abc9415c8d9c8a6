// SPDX-License-Identifier: Apache-2.0
// Pairs of synthetic graphs drawn by seed, half of them equal, half with one planted change.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/compare/diff.h"
#include "tests/support/graph_mutations.h"

namespace dragoman {
namespace {

using testing::Change;
using testing::Draw;
using testing::Names;
using testing::Random;

constexpr int kSeeds = 300;
const Type kType = Type::Tensor(DType::kF32, Shape{Dim(2)});

Value* AddNode(Graph& graph, const std::vector<Value*>& values, Random& random, int number) {
  static constexpr std::array<std::string_view, 6> kOps = {"Foo", "Bar", "Sub",
                                                           "Div", "Pow", "Mod"};
  std::vector<Value*> operands;
  for (std::size_t i = 0; i < 1 + Draw(random, 3); ++i) {
    operands.push_back(
        values[values.size() - 1 - Draw(random, std::min<std::size_t>(8, values.size()))]);
  }
  Node* node = graph.Append(InternOp("onnx", kOps[Draw(random, kOps.size())]), operands,
                            "n" + std::to_string(number));
  if (Draw(random, 2) == 0) node->SetAttribute("axis", static_cast<std::int64_t>(Draw(random, 3)));
  if (Draw(random, 3) == 0) node->SetAttribute("alpha", 0.5f);
  return node->AddResult("r" + std::to_string(number), kType);
}

Value* AddWeight(Graph& graph, Random& random, int number) {
  const std::array<float, 2> values = {static_cast<float>(Draw(random, 100)), 0.0f};
  return graph.AddConstant("w" + std::to_string(number),
                           Tensor::Of<float>({2}, std::span<const float>(values)));
}

void FillBody(Graph& body, std::vector<Value*> outside, Random& random, int number) {
  for (int i = 0; i < 4; ++i) outside.push_back(AddNode(body, outside, random, number + i));
  body.AddOutput(outside.back());
}

// Sixty nodes, each used, and constants, of which some are not; every fifteenth node is an If whose
// bodies capture values and hold nodes that nothing uses.
Model RandomModel(Random& random) {
  Model model;
  model.opsets = {{"", 17}};
  Entry& entry = model.entries.emplace_back();
  entry.name = "main";
  entry.graph = std::make_unique<Graph>();
  Graph& graph = *entry.graph;
  std::vector<Value*> values = {graph.AddInput("x", kType), graph.AddInput("y", kType)};
  for (int i = 0; i < 60; ++i) {
    if (i % 3 == 0) values.push_back(AddWeight(graph, random, i));
    if (i % 20 == 1) AddWeight(graph, random, i);
    Value* result = AddNode(graph, values, random, i * 100);
    if (i % 15 == 14) {
      for (std::string_view name : {"then_branch", "else_branch"}) {
        auto body = std::make_shared<Graph>();
        FillBody(*body, values, random, i * 100 + static_cast<int>(name.size()) * 5);
        result->producer()->SetAttribute(name, std::move(body));
      }
    }
    values.push_back(result);
  }
  for (Value* value : values) {
    if (!value->used()) graph.AddOutput(value);
  }
  return model;
}

TEST(RandomPairs, EqualOnesAreEqual) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Model a = RandomModel(random);
    const Model b = testing::Disguise(a, random);
    CompareOptions options;
    options.modulo_sharing = seed % 2 == 1;
    const Result<DiffReport> report = DiffModels(a, b, options);
    ASSERT_TRUE(report.ok());
    EXPECT_TRUE(report->equal()) << "seed " << seed << "\n" << RenderText(*report);
  }
}

class RandomChange : public ::testing::TestWithParam<Change> {};

// Whether a diff finds edits, and only at `places`.
bool NamesOnly(const DiffReport& report, const testing::Places& places) {
  return !report.edits.empty() &&
         std::all_of(report.edits.begin(), report.edits.end(),
                     [&](const Edit& edit) { return places.contains(edit.place_b); });
}

// Without names some changes can be listed in two ways: exchanged weights of like nodes are
// exchanged nodes as well.
TEST_P(RandomChange, IsNamedAtItsPlaceOnly) {
  int planted = 0, told_otherwise = 0;
  for (int seed = 0; seed < 2 * kSeeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Model a = RandomModel(random);
    const bool named = seed % 2 == 0;
    Model b = testing::Disguise(a, random, named ? Names::kKept : Names::kChanged);
    const std::optional<testing::Places> places = testing::Plant(b, GetParam(), random);
    if (!places) continue;
    ++planted;
    const Result<DiffReport> report = DiffModels(a, b, {});
    ASSERT_TRUE(report.ok());
    ASSERT_FALSE(report->equal()) << "seed " << seed << ", planted at " << *places->begin();
    const bool exact = NamesOnly(*report, *places);
    if (named) {
      EXPECT_TRUE(exact) << "seed " << seed << ", planted at " << *places->begin() << "\n"
                         << RenderText(*report);
    }
    told_otherwise += !exact;
  }
  EXPECT_GT(planted, 3);
  EXPECT_LE(told_otherwise, planted / 8);
}

void DropNodeNames(Model& model) {
  for (Graph* graph : testing::AllGraphs(model)) {
    for (Node& node : graph->nodes()) node.set_name("");
  }
}

TEST(RandomPairs, WhatNothingReadsGivesOneEdit) {
  for (const Change change : {Change::kDeadOperand, Change::kUnusedConstant}) {
    int planted = 0, told_otherwise = 0;
    for (int seed = 0; seed < kSeeds; ++seed) {
      Random random(static_cast<std::uint64_t>(seed));
      Model a = RandomModel(random);
      Model b = testing::Disguise(a, random, seed % 2 == 0 ? Names::kKept : Names::kChanged);
      DropNodeNames(a);
      DropNodeNames(b);
      std::optional<testing::Places> places;
      for (int tries = 0; tries < 50 && !places; ++tries)
        places = testing::Plant(b, change, random);
      if (!places) continue;
      ++planted;
      const Result<DiffReport> report = DiffModels(a, b, {});
      ASSERT_TRUE(report.ok());
      ASSERT_FALSE(report->equal()) << "seed " << seed << ", planted at " << *places->begin();
      told_otherwise += report->edits.size() != 1;
    }
    EXPECT_GT(planted, kSeeds / 2);
    EXPECT_LE(told_otherwise, planted / 50);
  }
}

INSTANTIATE_TEST_SUITE_P(Changes, RandomChange, ::testing::ValuesIn(testing::kChanges));

}  // namespace
}  // namespace dragoman

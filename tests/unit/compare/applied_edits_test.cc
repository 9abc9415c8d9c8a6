// SPDX-License-Identifier: Apache-2.0
// A list of edits is complete: the first graph with what it lists changed is the second graph.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/compare/diff.h"
#include "core/compare/diff_trace.h"
#include "tests/support/graph_mutations.h"

namespace dragoman {
namespace {

using testing::Draw;
using testing::Random;
using Kind = Edit::Kind;

const Type kType = Type::Tensor(DType::kF32, Shape{Dim(2)});
constexpr std::array<std::string_view, 6> kOps = {"Foo", "Bar", "Sub", "Div", "Pow", "Mod"};

const OpName* DrawOp(Random& random) { return InternOp("onnx", kOps[Draw(random, kOps.size())]); }

// Forty nodes, of which each reads earlier ones and some a weight.
Model DrawModel(Random& random) {
  Model model;
  model.opsets = {{"", 17}};
  Entry& entry = model.entries.emplace_back();
  entry.name = "main";
  entry.graph = std::make_unique<Graph>();
  Graph& graph = *entry.graph;
  std::vector<Value*> values = {graph.AddInput("x", kType)};
  for (int i = 0; i < 40; ++i) {
    std::vector<Value*> operands;
    for (std::size_t k = 0; k < 1 + Draw(random, 2); ++k)
      operands.push_back(
          values[values.size() - 1 - Draw(random, std::min<std::size_t>(4, values.size()))]);
    if (i % 3 == 0) {
      const std::array<float, 2> elements = {static_cast<float>(i), 1.0f};
      operands.push_back(graph.AddConstant(
          "w" + std::to_string(i), Tensor::Of<float>({2}, std::span<const float>(elements))));
    }
    Node* node = graph.Append(DrawOp(random), operands, "n" + std::to_string(i));
    node->SetAttribute("axis", static_cast<std::int64_t>(Draw(random, 3)));
    values.push_back(node->AddResult("r" + std::to_string(i), kType));
  }
  for (Value* value : values) {
    if (!value->used()) graph.AddOutput(value);
  }
  return model;
}

Node* DrawNode(Graph& graph, Random& random) {
  std::size_t left = Draw(random, graph.num_nodes());
  for (Node& node : graph.nodes()) {
    if (left-- == 0) return &node;
  }
  return nullptr;
}

// One of: a node inserted on an edge, removed, of another operator, reading another value; another
// attribute; another weight.
void MakeEdit(Graph& graph, Random& random, int number) {
  Node* node = DrawNode(graph, random);
  switch (Draw(random, 6)) {
    case 0: {
      const std::array<Value*, 1> operands = {node->operand(0)};
      Node* inserted = graph.Insert(node, DrawOp(random), operands, "in" + std::to_string(number));
      node->set_operand(0, inserted->AddResult("made" + std::to_string(number), kType));
      return;
    }
    case 1:
      if (node->operand(0)->is_constant()) return;
      node->result()->ReplaceAllUsesWith(node->operand(0));
      return graph.Erase(node);
    case 2:
      return node->set_op(DrawOp(random));
    case 3:
      return node->set_operand(0, graph.input(0));
    case 4:
      return node->SetAttribute("axis", std::int64_t{7});
    default:
      const std::vector<Value*> weights = testing::internal::Weights({&graph});
      testing::internal::SetElement(*weights[Draw(random, weights.size())], 1, 7);
  }
}

// The second graph, made of the first one and the list of edits only.
class Applied {
 public:
  Applied(const Model& a, const Model& b, const DiffReport& report, const DiffTrace& trace)
      : a_(a.main()), b_(b.main()), model_(Clone(b)) {
    for (const auto& [x, y] : trace.matched) of_a_[y] = x;
    for (const auto& [x, y] : trace.matched) of_b_[x] = y;
    for (std::size_t i = 0; i < report.edits.size(); ++i) Note(report.edits[i], trace.edited[i]);
  }

  Model Make() {
    Entry& entry = model_.entries[0];
    entry.graph = std::make_unique<Graph>();
    for (const auto& input : a_.inputs())
      values_[b_.input(input->index())] = entry.graph->AddInput(input->name(), input->type());
    for (const Node& node : b_.nodes()) {
      if (!of_a_.contains(&node) && !listed_.contains({&node, Kind::kInsertedNode, 0})) continue;
      MakeNode(node, *entry.graph);
    }
    for (std::size_t i = 0; i < b_.num_outputs(); ++i) {
      const Value* before = i < a_.num_outputs() ? a_.output(i) : nullptr;
      const bool is_listed =
          before == nullptr || outputs_.contains(i) || IsLoose(before, b_.output(i));
      entry.graph->AddOutput(is_listed ? Map(b_.output(i)) : MapOfA(before));
    }
    return std::move(model_);
  }

  // Whether all nodes of the first graph that are not in the second are listed.
  bool ListsRemoved() const {
    for (const Node& node : a_.nodes()) {
      if (!of_b_.contains(&node) && !listed_.contains({&node, Kind::kRemovedNode, 0})) return false;
    }
    return true;
  }

 private:
  struct Listed {
    const Node* node;
    Kind kind;
    std::size_t index;
    auto operator<=>(const Listed&) const = default;
  };

  void Note(const Edit& edit, const DiffTrace::Place& place) {
    const Node* node = place.nodes.second != nullptr ? place.nodes.second : place.nodes.first;
    listed_.insert({node, edit.kind, edit.index});
    if (edit.kind == Kind::kChangedOutput) outputs_.insert(edit.index);
    if (edit.kind == Kind::kChangedConstant && node != nullptr)
      constants_.insert({place.nodes.first->operand(edit.index), node->operand(edit.index)});
  }

  // Whether a node that was inserted or removed gives one of them, which shows that they differ.
  bool IsLoose(const Value* x, const Value* y) const {
    return (x->producer() != nullptr && !of_b_.contains(x->producer())) ||
           (y->producer() != nullptr && !of_a_.contains(y->producer()));
  }

  void MakeNode(const Node& node, Graph& graph) {
    const auto found = of_a_.find(&node);
    const Node& before = found == of_a_.end() ? node : *found->second;
    const bool replaced = listed_.contains({&node, Kind::kChangedOp, 0});
    const bool attribute = listed_.contains({&node, Kind::kChangedAttribute, 0});
    Node* made = graph.Append(&(replaced ? node : before).op(), {}, node.name());
    made->attributes() = (attribute ? node : before).attributes();
    for (std::size_t i = 0; i < std::max(node.num_operands(), before.num_operands()); ++i) {
      const Value *x = before.operand(i), *y = node.operand(i);
      const bool is_listed = &before == &node ||
                             listed_.contains({&node, Kind::kChangedOperand, i}) ||
                             constants_.contains({x, y});
      if (is_listed && y == nullptr) continue;
      made->AddOperand(is_listed || (x != nullptr && y != nullptr && IsLoose(x, y)) ? Map(y)
                                                                                    : MapOfA(x));
    }
    values_[node.result()] = made->AddResult(node.result()->name(), before.result()->type());
  }

  Value* Map(const Value* value) {
    if (value == nullptr || !value->is_constant()) return values_[value];
    return model_.main().AddConstant(value->name(), *value->tensor());
  }
  Value* MapOfA(const Value* value) {
    if (value == nullptr || value->is_constant()) return Map(value);
    if (value->kind() == Value::Kind::kInput) return values_[b_.input(value->index())];
    return values_[of_b_.at(value->producer())->result()];
  }

  const Graph& a_;
  const Graph& b_;
  Model model_;
  std::map<const Node*, const Node*> of_a_, of_b_;
  std::set<Listed> listed_;
  std::set<std::pair<const Value*, const Value*>> constants_;
  std::set<std::size_t> outputs_;
  std::map<const Value*, Value*> values_;
};

TEST(AppliedEdits, GiveTheSecondGraph) {
  int different = 0;
  for (int seed = 0; seed < 400; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Model a = DrawModel(random);
    Model b = testing::Disguise(a, random,
                                seed % 2 == 0 ? testing::Names::kKept : testing::Names::kChanged);
    for (int i = 0; i < 1 + seed % 8; ++i) MakeEdit(b.main(), random, i);
    b.main().EraseConstantsIf([](const Value& value) { return !value.used(); });
    DiffTrace trace;
    const Result<DiffReport> report = DiffModels(a, b, {}, &trace);
    ASSERT_TRUE(report.ok());
    if (report->equal()) continue;
    ++different;
    Applied applied(a, b, *report, trace);
    EXPECT_TRUE(applied.ListsRemoved()) << "seed " << seed << "\n" << RenderText(*report);
    const Model made = applied.Make();
    const auto difference = CompareModels(made, b, {});
    ASSERT_TRUE(difference.ok());
    EXPECT_FALSE(difference->has_value())
        << "seed " << seed << ": " << (*difference)->reason << "\n"
        << RenderText(*report);
  }
  EXPECT_GT(different, 300);
}

}  // namespace
}  // namespace dragoman

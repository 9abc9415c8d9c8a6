// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

#include "core/lowering/composer.h"
#include "tests/support/toy/toy.h"

namespace dragoman::toy {
namespace {

class Lowering {
 public:
  Lowering(const Graph& source, Graph& target)
      : source_(source), builder_(target, inference_, names_) {}

  Status Run(const Facts& facts) {
    DRAGOMAN_TRY(AddInputs(facts));
    std::vector<Finding> findings;
    for (const Node& node : source_.nodes()) {
      if (!HasOperands(node)) continue;  // what computes them is a finding already
      builder_.set_origin(Origin::Leaf({.op = node.op().ToString(), .name = node.name()}));
      Status status = Lower(node);
      if (!status.ok()) findings.push_back(status.error().At(node.Describe()).findings().front());
    }
    if (!findings.empty()) return Error(std::move(findings));
    for (const Use& output : source_.outputs())
      builder_.graph().AddOutput(values_.at(output.value()));
    return {};
  }

 private:
  Status AddInputs(const Facts& facts) {
    std::vector<std::string> names;
    for (const auto& input : source_.inputs()) {
      DRAGOMAN_ASSIGN(Type type, ApplyFacts(facts, input->name(), names.size(), input->type()));
      names.push_back(input->name());
      values_[input.get()] =
          builder_.graph().AddInput(builder_.UniqueName(input->name()), std::move(type));
    }
    return CheckFacts(facts, names);
  }

  bool HasOperands(const Node& node) const {
    return std::ranges::all_of(node.operands(),
                               [&](const Use& use) { return values_.contains(use.value()); });
  }

  Status Lower(const Node& node) {
    const std::string& op = node.op().type;
    if (op != "add" && op != "twice" && op != "root" && op != "show")
      return Unsupported("the operator has no lowering");
    if (node.num_operands() != (op == "add" ? 2u : 1u))
      return InvalidInput("has another number of operands");
    Value* a = values_.at(node.operand(0));
    if (op == "show") {
      std::vector<NamedAttribute> message = {{"message", Attribute("{}")}};
      Value* const operands[] = {a};
      const Result<Node*> printed = builder_.Append("dragoman.Print", operands, message, {});
      return printed.ok() ? Status() : printed.error();
    }
    Composer c(builder_);
    Value* result = op == "add"     ? c.Add(a, values_.at(node.operand(1)))
                    : op == "twice" ? c.Mul(a, 2)
                                    : c.Sqrt(a);
    DRAGOMAN_ASSIGN(values_[node.result()], c.Done(result));
    return {};
  }

  const Graph& source_;
  Inference inference_;
  std::unordered_set<std::string> names_;
  GraphBuilder builder_;
  ValueMap values_;
};

}  // namespace

Result<Model> LowerToy(const Model& source, const Facts& facts,
                       const std::function<void(std::string_view)>& note) {
  Model model;
  model.level = Level::kCommon;
  model.dialect = source.dialect;
  model.opsets.push_back({"", kCommonOpset});
  for (const Entry& entry : source.entries) {
    auto graph = std::make_unique<Graph>();
    DRAGOMAN_TRY(Lowering(*entry.graph, *graph).Run(facts));
    if (note && graph->num_outputs() == 0) note("the program has no output");
    model.entries.push_back({entry.name, std::move(graph), {}, {}, {}});
  }
  return model;
}

Status CutToy(Model& source, const std::vector<std::string>& inputs,
              const std::vector<std::string>& outputs) {
  if (!inputs.empty()) return Unsupported("the toy format has no cut at inputs");
  Graph& graph = source.main();
  std::vector<Value*> kept;
  for (const std::string& name : outputs) {
    Value* found = nullptr;
    for (Node& node : graph.nodes()) {
      if (node.num_results() != 0 && node.result()->name() == name) found = node.result();
    }
    if (found == nullptr) return InvalidInput("there is no value '" + name + "'");
    kept.push_back(found);
  }
  while (graph.num_outputs() != 0) graph.RemoveOutput(graph.num_outputs() - 1);
  for (Value* value : kept) graph.AddOutput(value);
  for (Node* node = graph.last_node(); node != nullptr;) {
    Node* const before = node->prev();
    if (node->num_results() != 0 && !node->result()->used()) graph.Erase(node);
    node = before;
  }
  return {};
}

}  // namespace dragoman::toy

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/cut.h"

#include <algorithm>
#include <unordered_set>

#include "core/analysis/inference.h"
#include "core/ir/for_each_value.h"
#include "core/ops/op_def.h"
#include "core/rewrite/bound_states.h"
#include "core/support/nearest_name.h"

namespace dragoman {
namespace {

Result<Value*> ValueToCutAt(const Graph& graph, std::string_view name) {
  if (Value* value = FindValue(graph, name)) return value;
  return InvalidInput("the model has no value '" + std::string(name) + "' to cut at" +
                      DidYouMeanValue(graph, name));
}

Status SetOutputs(Graph& graph, const std::vector<std::string>& outputs) {
  if (outputs.empty()) return {};
  std::vector<Value*> values;
  for (const std::string& name : outputs) {
    DRAGOMAN_ASSIGN(Value * value, ValueToCutAt(graph, name));
    values.push_back(value);
  }
  while (graph.num_outputs() > 0) graph.RemoveOutput(graph.num_outputs() - 1);
  for (Value* value : values) graph.AddOutput(value);
  return {};
}

// The values that the outputs need, followed without recursion; bodies through their nodes.
std::unordered_set<const Value*> NeededValues(const Graph& graph) {
  std::unordered_set<const Value*> needed;
  std::vector<const Value*> pending;
  const auto need = [&](const Value* value) {
    if (value != nullptr && needed.insert(value).second) pending.push_back(value);
  };
  for (const Use& output : graph.outputs()) need(output.value());
  while (!pending.empty()) {
    const Node* producer = pending.back()->producer();
    pending.pop_back();
    if (producer == nullptr) continue;
    for (const Use& use : producer->operands()) need(use.value());
    for (const Graph* body : producer->subgraphs()) {
      ForEachGraph(*body, [&](const Graph& inner) {
        for (const Node& node : inner.nodes()) {
          for (const Use& use : node.operands()) need(use.value());
        }
        for (const Use& output : inner.outputs()) need(output.value());
      });
    }
  }
  return needed;
}

// Effects stay if all that they read does.
bool IsKept(const Node& node, const std::unordered_set<const Value*>& needed) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (needed.contains(node.result(i))) return true;
  }
  return HasEffect(node) && node.subgraphs().empty() &&
         std::all_of(node.operands().begin(), node.operands().end(), [&](const Use& use) {
           return use.value() == nullptr || use.value()->is_constant() ||
                  needed.contains(use.value());
         });
}

void RemoveAllBut(Graph& graph, const std::unordered_set<const Value*>& needed) {
  for (Node* node = graph.last_node(); node != nullptr;) {
    Node* before = node->prev();
    if (!IsKept(*node, needed)) graph.Erase(node);
    node = before;
  }
  graph.EraseConstantsIf([](const Value& constant) { return !constant.used(); });
}

// Those that the outputs need. What they are next becomes an output, too, and may need others.
std::vector<BoundState> AddNeededStates(Graph& graph, std::vector<BoundState> states) {
  std::vector<BoundState> kept;
  for (bool found = true; found;) {
    const std::unordered_set<const Value*> needed = NeededValues(graph);
    const auto first = std::stable_partition(
        states.begin(), states.end(),
        [&](const BoundState& bound) { return !needed.contains(bound.input); });
    found = first != states.end();
    for (auto bound = first; bound != states.end(); ++bound) {
      graph.AddOutput(bound->output);
      kept.push_back(std::move(*bound));
    }
    states.erase(first, states.end());
  }
  return kept;
}

// Errors: one that is needed is neither among the `inputs` to cut at nor of a state.
Status CheckOldInputs(const Graph& graph, std::size_t num_old_inputs,
                      const std::vector<BoundState>& states) {
  const std::unordered_set<const Value*> needed = NeededValues(graph);
  for (std::size_t i = 0; i < num_old_inputs; ++i) {
    const Value* const input = graph.input(i);
    if (!needed.contains(input) ||
        std::ranges::find(states, input, &BoundState::input) != states.end())
      continue;
    return InvalidInput("the outputs need the input '" + input->name() +
                        "', which is not among those to cut at");
  }
  return {};
}

// The states that the piece reads, with what they are next.
Result<std::vector<BoundState>> CutInputs(Graph& graph, const std::vector<std::string>& inputs,
                                          std::vector<BoundState> states) {
  const std::size_t num_old_inputs = graph.num_inputs();
  for (const std::string& name : inputs) {
    DRAGOMAN_ASSIGN(Value * value, ValueToCutAt(graph, name));
    Value* const input = MakeInput(graph, *value);
    for (BoundState& bound : states) {
      if (bound.output == value) bound.output = input;
    }
  }
  states = AddNeededStates(graph, std::move(states));
  if (!inputs.empty()) DRAGOMAN_TRY(CheckOldInputs(graph, num_old_inputs, states));
  RemoveUnneeded(graph);
  for (std::size_t i = graph.num_inputs(); i-- > 0;) {
    if (!graph.input(i)->used()) graph.RemoveInput(i);
  }
  for (std::size_t i = 0; i < states.size(); ++i) graph.RemoveOutput(graph.num_outputs() - 1);
  return states;
}

}  // namespace

std::string DidYouMeanValue(const Graph& graph, std::string_view name) {
  for (const Node& node : graph.nodes()) {
    if (node.name() != name || name.empty()) continue;
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) != nullptr)
        return " (a node is called so; its result is '" + node.result(i)->name() + "')";
    }
  }
  std::vector<std::string> names;
  ForEachValue(graph, [&](const Value& value) { names.push_back(value.name()); });
  return DidYouMean(name, names);
}

void RemoveUnneeded(Graph& graph) { RemoveAllBut(graph, NeededValues(graph)); }

Status CutModel(Model& model, const std::vector<std::string>& inputs,
                const std::vector<std::string>& outputs) {
  if (inputs.empty() && outputs.empty()) return {};
  if (model.entries.empty()) return InvalidInput("the model has no entry to cut");
  Entry& entry = model.entries.front();
  model.entries.erase(model.entries.begin() + 1, model.entries.end());
  entry.arguments.clear();
  entry.results.clear();
  std::vector<BoundState> states = TakeStates(model);
  DRAGOMAN_TRY(SetOutputs(*entry.graph, outputs));
  DRAGOMAN_ASSIGN(states, CutInputs(*entry.graph, inputs, std::move(states)));
  PutStates(model, std::move(states));
  return InferModel(model);
}

}  // namespace dragoman

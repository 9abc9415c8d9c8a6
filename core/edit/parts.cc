// SPDX-License-Identifier: Apache-2.0
#include "core/edit/parts.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/for_each_value.h"
#include "core/rewrite/bound_states.h"
#include "core/support/nearest_name.h"

namespace dragoman {
namespace {

// Calls visit(value) for each value of the main graph that a node, or a body of it, reads.
void ForEachRead(const Node& node, const std::function<void(const Value&)>& visit) {
  const auto look = [&](const Use& use) {
    if (use.value() != nullptr && use.value()->graph() == node.graph()) visit(*use.value());
  };
  for (const Use& use : node.operands()) look(use);
  for (const Graph* body : node.subgraphs()) {
    ForEachGraph(*body, [&](const Graph& graph) {
      for (const Node& inner : graph.nodes()) {
        for (const Use& use : inner.operands()) look(use);
      }
      for (const Use& use : graph.outputs()) look(use);
    });
  }
}

// What states are next, by the values that are read of them.
using NextOfStates = std::unordered_map<const Value*, const Value*>;

NextOfStates StatesOf(const Entry& entry) {
  NextOfStates next;
  for (const StateBinding& state : entry.states)
    next.emplace(entry.graph->input(state.input), entry.graph->output(state.output));
  return next;
}

using NodeStages = std::unordered_map<const Node*, std::size_t>;

// What stage `stage` reads of others and gives to others.
ModelPart PartOfStage(const Entry& entry, const NodeStages& stages, std::size_t stage) {
  const Graph& graph = *entry.graph;
  const NextOfStates states = StatesOf(entry);
  std::unordered_set<const Value*> read;   // by the stage, from outside
  std::unordered_set<const Value*> given;  // by the stage, to outside
  const auto stage_of = [&](const Value& value) {
    return value.producer() != nullptr ? stages.at(value.producer()) : SIZE_MAX;
  };
  for (const Node& node : graph.nodes()) {
    const std::size_t own = stages.at(&node);
    ForEachRead(node, [&](const Value& value) {
      // What reads a state also writes it: what it is next may come from an input or another part.
      const auto state = states.find(&value);
      const Value& needed = state != states.end() ? *state->second : value;
      if (needed.is_constant() || stage_of(needed) == own || states.contains(&needed)) return;
      if (own == stage) read.insert(&needed);
      if (stage_of(needed) == stage) given.insert(&needed);
    });
  }
  for (std::size_t i = 0; i < NumFreeOutputs(entry); ++i) {
    const Value* const output = graph.output(i);
    if (output != nullptr && stage_of(*output) == stage) given.insert(output);
  }
  ModelPart part;
  ForEachValue(graph, [&](const Value& value) {
    if (read.contains(&value)) part.inputs.push_back(value.name());
    if (given.contains(&value)) part.outputs.push_back(value.name());
  });
  return part;
}

bool IsInScope(const std::string& name, const std::string& scope) {
  if (!name.starts_with(scope)) return false;
  return name.size() == scope.size() || scope.ends_with('/') || name[scope.size()] == '/' ||
         name[scope.size()] == '.';
}

}  // namespace

Result<ModelPart> PartOfScope(const Model& model, const std::string& scope) {
  const Graph& graph = model.main();
  NodeStages stages;
  std::vector<std::string> names;
  bool any = false;
  for (const Node& node : graph.nodes()) {
    const std::string& result = node.result() != nullptr ? node.result()->name() : node.name();
    const std::string& name = node.name().empty() ? result : node.name();
    names.push_back(name.substr(0, name.rfind('/')));
    const bool is_inside = IsInScope(name, scope);
    stages[&node] = is_inside ? 1 : 0;
    any = any || is_inside;
  }
  if (!any) return InvalidInput("no node lies in scope '" + scope + "'" + DidYouMean(scope, names));
  return PartOfStage(model.entries.front(), stages, 1);
}

Result<std::vector<ModelPart>> PartsAt(const Model& model,
                                       const std::vector<std::vector<std::string>>& borders) {
  const Graph& graph = model.main();
  const NextOfStates states = StatesOf(model.entries.front());
  NodeStages stages;
  for (std::size_t stage = 0; stage < borders.size(); ++stage) {
    std::vector<const Node*> pending;
    // A state is read and written in one part.
    const auto need = [&](const Value& value) {
      const auto state = states.find(&value);
      const Node* node = (state != states.end() ? *state->second : value).producer();
      if (node != nullptr && stages.try_emplace(node, stage).second) pending.push_back(node);
    };
    for (const std::string& name : borders[stage]) {
      const Value* value = FindValue(graph, name);
      if (value == nullptr) {
        std::vector<std::string> names;
        ForEachValue(graph, [&](const Value& other) { names.push_back(other.name()); });
        return InvalidInput("the model has no value '" + name + "'" + DidYouMean(name, names));
      }
      need(*value);
    }
    while (!pending.empty()) {
      const Node* node = pending.back();
      pending.pop_back();
      ForEachRead(*node, need);
    }
  }
  for (const Node& node : graph.nodes()) stages.try_emplace(&node, borders.size());
  std::vector<ModelPart> parts;
  for (std::size_t stage = 0; stage <= borders.size(); ++stage) {
    const bool any =
        std::ranges::any_of(stages, [&](const auto& entry) { return entry.second == stage; });
    if (!any)
      return InvalidInput("part " + std::to_string(stage + 1) + " of " +
                          std::to_string(borders.size() + 1) + " would have no nodes");
    parts.push_back(PartOfStage(model.entries.front(), stages, stage));
  }
  return parts;
}

}  // namespace dragoman

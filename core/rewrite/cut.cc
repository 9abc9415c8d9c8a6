// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/cut.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/analysis/inference.h"
#include "core/ir/for_each_value.h"
#include "core/ops/op_def.h"
#include "core/support/nearest_name.h"

namespace dragoman {
namespace {

Result<Value*> ValueToCutAt(const Graph& graph, std::string_view name) {
  if (Value* value = FindValue(graph, name)) return value;
  std::vector<std::string> names;
  ForEachValue(graph, [&](const Value& other) { names.push_back(other.name()); });
  return InvalidInput("the model has no value '" + std::string(name) + "' to cut at" +
                      DidYouMean(name, names));
}

// A new input takes the place and name of `value`.
void MakeInput(Graph& graph, Value& value) {
  const std::string name = value.name();
  value.set_name(name + ".cut");
  Value* input = graph.AddInput(name, value.type());
  value.ReplaceAllUsesWith(input);
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

Status CutInputs(Graph& graph, const std::vector<std::string>& inputs) {
  const std::size_t num_old_inputs = graph.num_inputs();
  for (const std::string& name : inputs) {
    DRAGOMAN_ASSIGN(Value * value, ValueToCutAt(graph, name));
    MakeInput(graph, *value);
  }
  const std::unordered_set<const Value*> needed = NeededValues(graph);
  for (std::size_t i = 0; i < num_old_inputs && !inputs.empty(); ++i) {
    if (!needed.contains(graph.input(i))) continue;
    return InvalidInput("the outputs need the input '" + graph.input(i)->name() +
                        "', which is not among those to cut at");
  }
  RemoveAllBut(graph, needed);
  for (std::size_t i = graph.num_inputs(); i-- > 0;) {
    if (!graph.input(i)->used()) graph.RemoveInput(i);
  }
  return {};
}

}  // namespace

void RemoveUnneeded(Graph& graph) { RemoveAllBut(graph, NeededValues(graph)); }

Status CutModel(Model& model, const std::vector<std::string>& inputs,
                const std::vector<std::string>& outputs) {
  if (inputs.empty() && outputs.empty()) return {};
  if (model.entries.empty()) return InvalidInput("the model has no entry to cut");
  Entry& entry = model.entries.front();
  if (!entry.states.empty()) {
    return Unsupported("an entry with states is not cut; it has " +
                       std::to_string(entry.states.size()));
  }
  model.entries.erase(model.entries.begin() + 1, model.entries.end());
  entry.arguments.clear();
  entry.results.clear();
  DRAGOMAN_TRY(SetOutputs(*entry.graph, outputs));
  DRAGOMAN_TRY(CutInputs(*entry.graph, inputs));
  return InferModel(model);
}

}  // namespace dragoman

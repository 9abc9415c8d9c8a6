// SPDX-License-Identifier: Apache-2.0
#include "core/edit/merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/analysis/inference.h"
#include "core/edit/interface.h"
#include "core/ir/for_each_value.h"
#include "core/ir/model_symbols.h"
#include "core/rewrite/apply_facts.h"
#include "core/rewrite/bound_states.h"
#include "core/support/nearest_name.h"

namespace dragoman {
namespace {

std::string Untaken(const std::string& wanted, const std::set<std::string>& taken) {
  std::string name = wanted;
  for (int i = 2; taken.contains(name); ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

std::vector<Connection> EqualNames(const Model& first, const Model& second) {
  std::set<std::string> inputs;
  for (std::size_t i = 0; i < NumFreeInputs(second.entries.front()); ++i)
    inputs.insert(second.main().input(i)->name());
  std::vector<Connection> connections;
  for (std::size_t i = 0; i < NumFreeOutputs(first.entries.front()); ++i) {
    const std::string& name = first.main().output(i)->name();
    if (inputs.contains(name)) connections.push_back({name, name});
  }
  return connections;
}

// A value of the first model that an input of the second reads.
struct Link {
  std::size_t output = 0;
  std::size_t input = 0;
};

Result<std::vector<Link>> LinksOf(const Model& first, const Model& second,
                                  const std::vector<Connection>& connections) {
  std::vector<Link> links;
  std::set<std::size_t> taken;
  for (const auto& [output, input] : connections) {
    DRAGOMAN_ASSIGN(const std::size_t from, FindOutput(first, output));
    DRAGOMAN_ASSIGN(const Value* to, FindInput(second, input));
    if (from >= NumFreeOutputs(first.entries.front()) ||
        to->index() >= NumFreeInputs(second.entries.front()))
      return InvalidInput("--connect " + output + "=" + input + " names a state");
    const Type& given = first.main().output(from)->type();
    const Type& read = to->type();
    const bool are_known = given.is_tensor() && read.is_tensor();
    bool fits = given.kind() == read.kind() && given.dtype() == read.dtype();
    if (are_known && given.shape() != nullptr && read.shape() != nullptr) {
      fits = fits && given.rank() == read.rank();
      for (std::size_t i = 0; fits && i < read.shape()->size(); ++i) {
        const Dim& size = (*given.shape())[i];
        const Dim& wanted = (*read.shape())[i];
        fits = !size.known() || !wanted.known() || size == wanted;
      }
    }
    if (!fits)
      return InvalidInput("output '" + output + "' is " + given.ToString() + ", but input '" +
                          input + "' is " + read.ToString());
    if (!taken.insert(to->index()).second)
      return InvalidInput("input '" + input + "' is connected twice");
    links.push_back({from, to->index()});
  }
  return links;
}

// The second model in names that the first lacks, and with the sizes that it gives.
Result<Model> Fitted(const Model& first, const Model& second, const std::vector<Link>& links) {
  Facts facts;
  for (const Link& link : links) {
    const Shape* given = first.main().output(link.output)->type().shape();
    const Shape* read = second.main().input(link.input)->type().shape();
    for (std::size_t i = 0; given != nullptr && read != nullptr && i < read->size(); ++i) {
      if (const std::string* symbol = (*read)[i].symbol(); symbol != nullptr)
        facts.dims.emplace(*symbol, (*given)[i]);
    }
  }
  std::set<std::string> symbols = SymbolsOf(first);
  for (const std::string& symbol : SymbolsOf(second)) {
    if (facts.dims.contains(symbol) || !symbols.contains(symbol)) continue;
    const std::string name = Untaken(symbol, symbols);
    symbols.insert(name);
    facts.dims.emplace(symbol, Dim::Symbol(name));
  }
  DRAGOMAN_ASSIGN(Model fitted, ApplyFactsToModel(second, facts));
  const std::set<std::string> taken = ValueNames(first);
  std::set<std::string> names = ValueNames(second);
  names.insert(taken.begin(), taken.end());
  std::map<std::string, std::string> renamed;
  ForEachGraph(fitted.main(), [&](Graph& graph) {
    ForEachValue(graph, [&](Value& value) {
      if (!taken.contains(value.name())) return;
      auto [entry, is_new] = renamed.try_emplace(value.name());
      if (is_new) {
        entry->second = Untaken(value.name(), names);
        names.insert(entry->second);
      }
      value.set_name(entry->second);
    });
  });
  return fitted;
}

// The states of the second model, for PutStates.
std::vector<BoundState> Append(Graph& graph, const Model& other, const std::vector<Link>& links) {
  const Entry& entry = other.entries.front();
  const Graph& second = *entry.graph;
  ValueMap map;
  std::vector<Value*> ends;
  for (const Use& output : graph.outputs()) ends.push_back(output.value());
  for (const Link& link : links) map[second.input(link.input)] = ends[link.output];
  for (const auto& input : second.inputs()) {
    if (!map.contains(input.get())) map[input.get()] = graph.AddInput(input->name(), input->type());
  }
  for (const auto& constant : second.constants()) {
    Value* copy = graph.AddConstant(constant->name(), *constant->tensor());
    copy->set_origin(constant->origin());
    map[constant.get()] = copy;
  }
  for (const Node& node : second.nodes()) CloneNode(node, graph, nullptr, map);
  std::set<std::size_t> read;
  for (const Link& link : links) read.insert(link.output);
  for (auto i = read.rbegin(); i != read.rend(); ++i) graph.RemoveOutput(*i);
  for (std::size_t i = 0; i < NumFreeOutputs(entry); ++i) graph.AddOutput(map.at(second.output(i)));
  std::vector<BoundState> states;
  for (const StateBinding& state : entry.states) {
    states.push_back({other.states[state.state], map.at(second.input(state.input)),
                      map.at(second.output(state.output))});
  }
  return states;
}

// Those of the second model have names of their own.
void AddStates(std::vector<BoundState>& states, std::vector<BoundState> more) {
  std::set<std::string> names;
  for (const BoundState& bound : states) names.insert(bound.state.name);
  for (BoundState& bound : more) {
    bound.state.name = Untaken(bound.state.name, names);
    names.insert(bound.state.name);
    states.push_back(std::move(bound));
  }
}

}  // namespace

Result<Model> MergeModels(const Model& first, const Model& second,
                          std::vector<Connection> connections) {
  if (connections.empty()) connections = EqualNames(first, second);
  if (connections.empty()) {
    std::vector<std::string> outputs, inputs;
    for (std::size_t i = 0; i < NumFreeOutputs(first.entries.front()); ++i)
      outputs.push_back(first.main().output(i)->name());
    for (std::size_t i = 0; i < NumFreeInputs(second.entries.front()); ++i)
      inputs.push_back(second.main().input(i)->name());
    return InvalidInput(
        "no output of the first model is called like an input of the second; state --connect "
        "OUTPUT=INPUT" +
        WhatThereIs("", "outputs are", outputs) + WhatThereIs("", "inputs are", inputs));
  }
  DRAGOMAN_ASSIGN(const std::vector<Link> links, LinksOf(first, second, connections));
  DRAGOMAN_ASSIGN(const Model fitted, Fitted(first, second, links));
  Model merged = Clone(first);
  merged.entries.erase(merged.entries.begin() + 1, merged.entries.end());
  Entry& entry = merged.entries.front();
  entry.arguments.clear();
  entry.results.clear();
  std::vector<BoundState> states = TakeStates(merged);
  AddStates(states, Append(*entry.graph, fitted, links));
  PutStates(merged, std::move(states));
  for (const OpsetImport& opset : second.opsets) {
    if (!merged.OpsetVersion(opset.domain)) merged.opsets.push_back(opset);
  }
  for (const auto& [key, value] : second.metadata) {
    const bool is_new = std::ranges::none_of(
        merged.metadata, [&key = key](const auto& pair) { return pair.first == key; });
    if (is_new) merged.metadata.emplace_back(key, value);
  }
  DRAGOMAN_TRY(InferModel(merged));
  return merged;
}

}  // namespace dragoman

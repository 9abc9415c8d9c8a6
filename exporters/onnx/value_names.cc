// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/value_names.h"

#include <string_view>

#include "core/ir/for_each_value.h"

namespace dragoman::onnx_writer {
namespace {

// The name for a value that has none.
std::string_view Fallback(const Value& value) {
  if (value.producer() != nullptr) return value.producer()->op().type;
  return value.is_constant() ? "constant" : "input";
}

}  // namespace

ValueNames::ValueNames(const Model& model) {
  ForEachGraph(model, [this](const Graph& graph) {
    ForEachValue(graph, [this](const Value& value) { taken_.Reserve(value.name()); });
  });
  ForEachGraph(model, [this](const Graph& graph) { NameValuesOf(graph); });
  ForEachGraph(model, [this](const Graph& graph) { NameCaptures(graph); });
  tables_.clear();
}

const std::string& ValueNames::Of(const Value& value) const {
  auto found = renamed_.find(&value);
  return found == renamed_.end() ? value.name() : found->second;
}

void ValueNames::NameValuesOf(const Graph& graph) {
  Table& table = tables_[&graph];
  ForEachValue(graph, [&](const Value& value) { NameValue(value, &table); });
}

void ValueNames::NameValue(const Value& value, Table* table) {
  const std::string& name = value.name();
  const bool needs_name = value.used() || value.producer() != nullptr;
  if (name.empty() ? !needs_name : table->emplace(name, &value).second) return;
  renamed_.emplace(&value, taken_.Unique(name.empty() ? Fallback(value) : name));
}

void ValueNames::NameCaptures(const Graph& graph) {
  if (graph.parent() == nullptr) return;
  for (const Node& node : graph.nodes()) {
    for (const Use& use : node.operands()) {
      if (use.value() != nullptr) RenameShadowsOf(*use.value(), graph);
    }
  }
  for (const Use& use : graph.outputs()) {
    if (use.value() != nullptr) RenameShadowsOf(*use.value(), graph);
  }
}

// From the graph that reads `value` outwards to the one that defines it.
void ValueNames::RenameShadowsOf(const Value& value, const Graph& reader) {
  const std::string& name = Of(value);
  for (const Graph* graph = &reader; graph != nullptr && graph != value.graph();
       graph = graph->parent_graph()) {
    Table& table = tables_[graph];
    auto shadow = table.find(name);
    if (shadow == table.end()) continue;
    renamed_.emplace(shadow->second, taken_.Unique(name));
    table.erase(shadow);
  }
}

}  // namespace dragoman::onnx_writer

// SPDX-License-Identifier: Apache-2.0
#include "core/ir/model.h"

#include "core/ir/domain.h"

namespace dragoman {
namespace {

std::unique_ptr<Graph> CloneGraph(const Graph& graph) {
  auto copy = std::make_unique<Graph>();
  ValueMap map;
  CloneInto(graph, *copy, map);
  return copy;
}

}  // namespace

const Entry* Model::FindEntry(std::string_view name) const {
  for (const Entry& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

std::optional<std::int64_t> Model::OpsetVersion(std::string_view domain) const {
  for (const OpsetImport& opset : opsets) {
    if (CanonicalDomain(opset.domain) == CanonicalDomain(domain)) return opset.version;
  }
  return std::nullopt;
}

Model Clone(const Model& model) {
  Model copy;
  copy.level = model.level;
  copy.dialect = model.dialect;
  for (const Entry& entry : model.entries) {
    copy.entries.push_back(
        {entry.name, CloneGraph(*entry.graph), entry.arguments, entry.results, entry.states});
  }
  for (const Function& function : model.functions) {
    copy.functions.push_back({function.op, CloneGraph(*function.graph), function.attributes,
                              function.defaults, function.opsets, function.extra});
  }
  copy.states = model.states;
  copy.opsets = model.opsets;
  copy.metadata = model.metadata;
  copy.extra = model.extra;
  return copy;
}

void ForEachGraph(const Model& model, const std::function<void(const Graph&)>& visit) {
  for (const Entry& entry : model.entries) ForEachGraph(std::as_const(*entry.graph), visit);
  for (const Function& function : model.functions)
    ForEachGraph(std::as_const(*function.graph), visit);
}

void ForEachGraph(Model& model, const std::function<void(Graph&)>& visit) {
  for (Entry& entry : model.entries) ForEachGraph(*entry.graph, visit);
  for (Function& function : model.functions) ForEachGraph(*function.graph, visit);
}

}  // namespace dragoman

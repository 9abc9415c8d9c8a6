// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/lower/variables.h"

#include <optional>
#include <utility>

#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/graph/variables.h"

namespace dragoman::tf {

Variables::Variables(const Model& source, Heap& heap) {
  std::map<std::string, const State*> states;
  for (const State& state : source.states) states.emplace(state.name, &state);
  const std::map<std::string, tf_reader::RestoredPart> parts = tf_reader::RestoredParts(source);
  // What the file holds of a variable; nullopt: nothing.
  const auto contents_of = [&](const std::string& name) -> std::optional<Tensor> {
    const auto part = parts.find(name);
    const auto state = states.find(part != parts.end() ? part->second.key : name);
    if (state == states.end() || state->second->initial.tensor() == nullptr) return std::nullopt;
    const Tensor& tensor = *state->second->initial.tensor();
    return part != parts.end() ? tf_reader::PartOf(tensor, part->second.slice) : tensor;
  };
  ForEachGraph(source, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (!tf::IsVariable(node)) continue;
      std::string name = VariableName(node);
      if (cells_.contains(name)) continue;
      const CellPtr cell = heap.NewCell(StorageContents{nullptr, contents_of(name)});
      cell->path = name;
      cells_.emplace(std::move(name), TensorRef{cell, nullptr});
    }
  });
  last_ = heap.last_cell();
}

bool Variables::IsVariable(const Abstract& value) const {
  const auto* tensor = value.As<TensorRef>();
  return tensor != nullptr && tensor->storage->number <= last_;
}

Result<Abstract> Variables::Of(const Node& node) const {
  const auto found = cells_.find(VariableName(node));
  if (found != cells_.end()) return found->second;
  return Internal("a variable that was not found");
}

}  // namespace dragoman::tf

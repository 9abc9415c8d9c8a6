#include "importers/tensorflow/lower/variables.h"

#include <utility>

#include "importers/tensorflow/graph/graph_names.h"

namespace dragoman::tf {

Variables::Variables(const Model& source, Heap& heap) {
  std::map<std::string, const State*> states;
  for (const State& state : source.states) states.emplace(state.name, &state);
  ForEachGraph(source, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (!tf::IsVariable(node)) continue;
      std::string name = VariableName(node);
      if (cells_.contains(name)) continue;
      StorageContents contents;
      const auto state = states.find(name);
      if (state != states.end() && state->second->initial.tensor() != nullptr)
        contents.constant = *state->second->initial.tensor();
      const CellPtr cell = heap.NewCell(std::move(contents));
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

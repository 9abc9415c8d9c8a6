// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/bound_states.h"

#include <cstddef>
#include <string>
#include <utility>

namespace dragoman {

std::size_t NumFreeInputs(const Entry& entry) {
  return entry.graph->num_inputs() - entry.states.size();
}

std::size_t NumFreeOutputs(const Entry& entry) {
  return entry.graph->num_outputs() - entry.states.size();
}

std::vector<BoundState> TakeStates(Model& model) {
  Entry& entry = model.entries.front();
  std::vector<BoundState> taken;
  for (const StateBinding& binding : entry.states) {
    taken.push_back({std::move(model.states[binding.state]), entry.graph->input(binding.input),
                     entry.graph->output(binding.output)});
  }
  const std::size_t kept = NumFreeOutputs(entry);
  while (entry.graph->num_outputs() > kept)
    entry.graph->RemoveOutput(entry.graph->num_outputs() - 1);
  entry.states.clear();
  model.states.clear();
  return taken;
}

void PutStates(Model& model, std::vector<BoundState> states) {
  Entry& entry = model.entries.front();
  Graph& graph = *entry.graph;
  for (const BoundState& bound : states) {
    Value* const input = MakeInput(graph, *bound.input);
    for (BoundState& other : states) {
      if (other.output == bound.input) other.output = input;
    }
    graph.RemoveInput(bound.input->index());
  }
  const std::size_t first = graph.num_inputs() - states.size();
  for (std::size_t i = 0; i < states.size(); ++i) {
    entry.states.push_back({model.states.size(), first + i, graph.num_outputs()});
    graph.AddOutput(states[i].output);
    model.states.push_back(std::move(states[i].state));
  }
}

Value* MakeInput(Graph& graph, Value& value) {
  const std::string name = value.name();
  value.set_name(name + ".cut");
  Value* const input = graph.AddInput(name, value.type());
  value.ReplaceAllUsesWith(input);
  return input;
}

}  // namespace dragoman

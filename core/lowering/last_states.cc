// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/last_states.h"

#include <cstddef>
#include <vector>

namespace dragoman {
namespace {

// Where each goes: those that are `last` after the others, both in order.
std::vector<std::size_t> PlacesOf(const std::vector<bool>& last) {
  std::vector<std::size_t> places(last.size());
  std::size_t next = 0;
  for (const bool turn : {false, true}) {
    for (std::size_t i = 0; i < last.size(); ++i) {
      if (last[i] == turn) places[i] = next++;
    }
  }
  return places;
}

void MoveInputToEnd(Graph& graph, std::size_t i) {
  Value* input = graph.input(i);
  Value* moved = graph.AddInput(input->name(), input->type());
  if (input->data() != nullptr) moved->set_data(*input->data());
  if (input->extra_if_any() != nullptr) moved->extra() = *input->extra_if_any();
  input->ReplaceAllUsesWith(moved);
  graph.RemoveInput(i);
}

void MoveInputs(Graph& graph, const std::vector<bool>& last) {
  std::size_t moved = 0;
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (last[i]) MoveInputToEnd(graph, i - moved++);
  }
}

void MoveOutputs(Graph& graph, const std::vector<std::size_t>& places) {
  std::vector<Value*> values(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) values[places[i]] = graph.output(i);
  for (std::size_t i = 0; i < places.size(); ++i) graph.SetOutput(i, values[i]);
}

}  // namespace

void PutStatesLast(Entry& entry) {
  Graph& graph = *entry.graph;
  std::vector<bool> inputs(graph.num_inputs());
  std::vector<bool> outputs(graph.num_outputs());
  for (const StateBinding& binding : entry.states) {
    inputs[binding.input] = true;
    outputs[binding.output] = true;
  }
  MoveInputs(graph, inputs);
  const std::vector<std::size_t> input_places = PlacesOf(inputs);
  const std::vector<std::size_t> output_places = PlacesOf(outputs);
  MoveOutputs(graph, output_places);
  for (StateBinding& binding : entry.states) {
    binding.input = input_places[binding.input];
    binding.output = output_places[binding.output];
  }
}

}  // namespace dragoman

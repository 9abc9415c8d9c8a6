// SPDX-License-Identifier: Apache-2.0
// The states of the default entry while its inputs and outputs change.
#ifndef DRAGOMAN_CORE_REWRITE_BOUND_STATES_H_
#define DRAGOMAN_CORE_REWRITE_BOUND_STATES_H_

#include <cstddef>
#include <vector>

#include "core/ir/model.h"

namespace dragoman {

// Inputs and outputs of `entry` but for those of its states, which come after all others.
std::size_t NumFreeInputs(const Entry& entry);
std::size_t NumFreeOutputs(const Entry& entry);

// A state, the input by which the graph reads it, and its next value.
struct BoundState {
  State state;
  Value* input = nullptr;
  Value* output = nullptr;
};

// Takes the states out of the model, which has no other entry: their inputs stay, what they are
// next stops being an output.
std::vector<BoundState> TakeStates(Model& model);

// Adds states to a model that has none; their inputs and outputs come after all others.
void PutStates(Model& model, std::vector<BoundState> states);

// A new input, the last one, takes the name and the readers of `value`.
Value* MakeInput(Graph& graph, Value& value);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_BOUND_STATES_H_

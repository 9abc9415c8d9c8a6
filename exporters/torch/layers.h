// SPDX-License-Identifier: Apache-2.0
// Calls with weights as layers of torch.nn.
#ifndef DRAGOMAN_EXPORTERS_TORCH_LAYERS_H_
#define DRAGOMAN_EXPORTERS_TORCH_LAYERS_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exporters/torch/expression.h"
#include "exporters/torch/program.h"

namespace dragoman::pytorch {

using WeightsByValue = std::map<std::string, const pt2::Weight*>;

// A layer that does what a call does.
struct LayerCall {
  Expr constructor;  // nn.Linear(4, 8)
  // Its weights: what the layer calls them, and which values they are.
  std::vector<std::pair<std::string, std::string>> weights;
  Exprs arguments;               // of the call of the layer
  bool results_in_pair = false;  // of a recurrence: the first, and the others as a tuple
};

// Finds the calls that values come from.
using ProducerOf = std::map<std::string, const Call*>;

std::optional<LayerCall> ReadLayer(const Call& call, const ProgramCalls& program,
                                   const WeightsByValue& weights, const ProducerOf& producers);

// "linear" of nn.Linear(…), a name for a layer that has none.
std::string UsualName(const Expr& constructor);

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_LAYERS_H_

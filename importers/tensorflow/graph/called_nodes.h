// SPDX-License-Identifier: Apache-2.0
// Nodes within called functions, by the names of the calls that lead there: "call/node".
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_CALLED_NODES_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_CALLED_NODES_H_

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/model.h"
#include "importers/tensorflow/graph/calls.h"

namespace dragoman::tf {

// The function that `node` calls once each time that it runs; nullptr: it is no such call.
const Function* FunctionOfCall(const Calls& calls, const Node& node);

// The node "n" of a graph, or of a function that the graph calls, after the calls that lead there;
// empty: there is none.
std::vector<const Node*> FindNode(const Calls& calls, const Graph& graph, std::string_view name);

// The tensors ("node:0", "call/node:0") that those of `wanted` need, those that are `fed` included.
// Within a call they are looked for if something there is fed or wanted; else it needs all of its
// operands.
std::set<std::string> NeededTensors(const Calls& calls, const Graph& main,
                                    std::span<const std::string> fed,
                                    std::span<const std::string> wanted);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_CALLED_NODES_H_

// SPDX-License-Identifier: Apache-2.0
// Some nodes of a graph taken together, as the body of one node would hold them.
#ifndef DRAGOMAN_CORE_IR_NODE_GROUP_H_
#define DRAGOMAN_CORE_IR_NODE_GROUP_H_

#include <span>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman {

// What `nodes` of one graph, and their bodies, read of that graph and those around it without
// computing it: each value once, in the order of its first use.
std::vector<Value*> ReadValues(std::span<Node* const> nodes);

// All results of `nodes`, in order.
std::vector<Value*> ResultsOf(std::span<Node* const> nodes);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_NODE_GROUP_H_

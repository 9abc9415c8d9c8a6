// SPDX-License-Identifier: Apache-2.0
// The graph of an entry or a function, seen from a node in one of its bodies.
#ifndef DRAGOMAN_CORE_IR_ENTRY_GRAPH_H_
#define DRAGOMAN_CORE_IR_ENTRY_GRAPH_H_

#include "core/ir/graph.h"

namespace dragoman {

// The outermost graph around `node`.
inline const Graph& EntryGraphOf(const Node& node) {
  const Graph* graph = node.graph();
  while (graph->parent() != nullptr) graph = graph->parent()->graph();
  return *graph;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_ENTRY_GRAPH_H_

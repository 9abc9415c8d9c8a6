// SPDX-License-Identifier: Apache-2.0
#include <queue>
#include <unordered_map>
#include <vector>

#include "importers/onnx/graph_lowering.h"

namespace dragoman {
namespace {

// Calls `visit` for the producer in `graph` of each value that `node` or a body of it reads.
template <class Visit>
void ForEachProducer(const Graph& graph, const Node& node, Visit visit) {
  auto read = [&](const Use& use) {
    const Value* value = use.value();
    if (value != nullptr && value->producer() != nullptr && value->graph() == &graph)
      visit(value->producer());
  };
  for (const Use& use : node.operands()) read(use);
  for (const Graph* body : node.subgraphs()) {
    ForEachGraph(*body, [&](const Graph& inner) {
      for (const Node& inner_node : inner.nodes()) {
        for (const Use& use : inner_node.operands()) read(use);
      }
      for (const Use& use : inner.outputs()) read(use);
    });
  }
}

}  // namespace

Result<std::vector<const Node*>> TopologicalOrder(const Graph& graph) {
  std::vector<const Node*> nodes;
  std::unordered_map<const Node*, std::size_t> position;
  for (const Node& node : graph.nodes()) {
    position[&node] = nodes.size();
    nodes.push_back(&node);
  }
  std::vector<std::size_t> waits(nodes.size(), 0);
  std::vector<std::vector<std::size_t>> readers(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ForEachProducer(graph, *nodes[i], [&](const Node* producer) {
      readers[position[producer]].push_back(i);
      ++waits[i];
    });
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (waits[i] == 0) ready.push(i);
  }
  std::vector<const Node*> order;
  while (!ready.empty()) {
    const std::size_t i = ready.top();
    ready.pop();
    order.push_back(nodes[i]);
    for (std::size_t reader : readers[i]) {
      if (--waits[reader] == 0) ready.push(reader);
    }
  }
  if (order.size() == nodes.size()) return order;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (waits[i] != 0) return InvalidInput("lies on a cycle of nodes").At(nodes[i]->Describe());
  }
  return order;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node_group.h"

#include <unordered_set>

namespace dragoman {

std::vector<Value*> ReadValues(std::span<Node* const> nodes) {
  std::unordered_set<const Graph*> bodies;
  std::unordered_set<const Value*> seen;
  for (const Value* result : ResultsOf(nodes)) seen.insert(result);
  std::vector<Value*> read;
  const auto look = [&](const Use& use) {
    Value* value = use.value();
    if (value == nullptr || bodies.contains(value->graph())) return;
    if (seen.insert(value).second) read.push_back(value);
  };
  for (const Node* node : nodes) {
    for (const Use& use : node->operands()) look(use);
    for (const Graph* body : node->subgraphs()) {
      ForEachGraph(*body, [&](const Graph& graph) { bodies.insert(&graph); });
      ForEachGraph(*body, [&](const Graph& graph) {
        for (const Node& inner : graph.nodes()) {
          for (const Use& use : inner.operands()) look(use);
        }
        for (const Use& use : graph.outputs()) look(use);
      });
    }
  }
  return read;
}

std::vector<Value*> ResultsOf(std::span<Node* const> nodes) {
  std::vector<Value*> results;
  for (const Node* node : nodes) {
    for (std::size_t i = 0; i < node->num_results(); ++i) {
      if (node->result(i) != nullptr) results.push_back(node->result(i));
    }
  }
  return results;
}

}  // namespace dragoman

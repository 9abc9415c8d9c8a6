// SPDX-License-Identifier: Apache-2.0
// Operators of the common graph that another format says by several calls, and may remark on.
#ifndef DRAGOMAN_CORE_COMPARE_COMPOSED_NODE_H_
#define DRAGOMAN_CORE_COMPARE_COMPOSED_NODE_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman {

// One operator, and the values that it is between.
struct ComposedNode {
  std::string label;
  Attribute::Dict attributes;
  std::vector<const Value*> operands;
  std::vector<const Value*> results;
};
// Of a node of the common dialect. nullopt: it has bodies.
std::optional<ComposedNode> AsComposed(const Node& node);
// Several nodes of one graph, in order and perhaps with bodies, that give `results`. The label is
// kComposedGraph, the attribute `body` a graph of the nodes, whose inputs are the operands.
ComposedNode AsComposedGraph(const std::vector<const Node*>& nodes,
                             const std::vector<const Value*>& results);

// Operators of an entry that become others before it is written.
class PreparedOperators {
 public:
  // Makes operands and results of those that `changes` names outputs after the others, whereby
  // they are found again.
  PreparedOperators(Graph& entry, bool (*changes)(const Node& node));
  // Takes these outputs away. The operators that became others, between the values of now.
  std::vector<ComposedNode> Take();

 private:
  struct Place {
    ComposedNode node;
    std::vector<std::optional<std::size_t>> operands, results;  // of these outputs
  };

  std::size_t Track(Value* value);

  Graph& entry_;
  std::map<const Value*, std::size_t> outputs_;
  std::vector<Place> places_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_COMPARE_COMPOSED_NODE_H_

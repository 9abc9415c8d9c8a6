// SPDX-License-Identifier: Apache-2.0
// The values that a graph defines, all or by name.
#ifndef DRAGOMAN_CORE_IR_FOR_EACH_VALUE_H_
#define DRAGOMAN_CORE_IR_FOR_EACH_VALUE_H_

#include <cstddef>
#include <string_view>

#include "core/ir/graph.h"

namespace dragoman {

// Calls visit(value) for the inputs, then the constants, then the results of the nodes in stored
// order, omitted ones left out. Bodies define values of their own: see ForEachGraph.
template <class Visit>
void ForEachValue(const Graph& graph, Visit&& visit) {
  for (const auto& input : graph.inputs()) visit(*input);
  for (const auto& constant : graph.constants()) visit(*constant);
  for (const Node& node : graph.nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) != nullptr) visit(*node.result(i));
    }
  }
}

// The first of them that is called `name`, or nullptr.
inline Value* FindValue(const Graph& graph, std::string_view name) {
  Value* found = nullptr;
  ForEachValue(graph, [&](Value& value) {
    if (found == nullptr && value.name() == name) found = &value;
  });
  return found;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_FOR_EACH_VALUE_H_

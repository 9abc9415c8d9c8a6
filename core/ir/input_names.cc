// SPDX-License-Identifier: Apache-2.0
#include "core/ir/input_names.h"

#include <algorithm>

namespace dragoman {

std::vector<std::string> InputNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const auto& input : graph.inputs()) names.push_back(input->name());
  return names;
}

Value* InputCalled(const Graph& graph, std::string_view name) {
  const auto input = std::ranges::find_if(graph.inputs(),
                                          [&](const auto& value) { return value->name() == name; });
  return input != graph.inputs().end() ? input->get() : nullptr;
}

}  // namespace dragoman

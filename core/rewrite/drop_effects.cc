// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/drop_effects.h"

#include <algorithm>
#include <iterator>

#include "core/ops/op_def.h"

namespace dragoman {

std::vector<std::string> DropEffects(Graph& graph) {
  std::vector<std::string> dropped;
  for (Node& node : graph.nodes()) {
    for (Graph* body : node.subgraphs())
      std::ranges::move(DropEffects(*body), std::back_inserter(dropped));
    const bool is_empty = !node.subgraphs().empty() && node.num_results() == 0;
    const OpDef* def = FindOp(node);
    const bool has_effect = !is_empty && def != nullptr && def->effect;
    if (has_effect) dropped.push_back(node.Describe());
    if (is_empty || has_effect) graph.Erase(&node);
  }
  return dropped;
}

Result<bool> AssumeChecks(Graph& graph, PassContext& context) {
  bool changed = false;
  for (Node& node : graph.nodes()) {
    if (!node.IsDragoman("Assert")) continue;
    context.Explain(node, "assumed to hold");
    context.Erase(node);
    changed = true;
  }
  return changed;
}

}  // namespace dragoman

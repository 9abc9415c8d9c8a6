// SPDX-License-Identifier: Apache-2.0
#include "core/ops/expansion.h"

#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/type_algebra.h"
#include "core/ops/op_def.h"

namespace dragoman {

void TakePlace(Value* value, const Node& node, std::size_t i) {
  Value* old = node.result(i);
  if (old == nullptr) return;
  old->ReplaceAllUsesWith(value);
  std::string name = old->name();
  old->set_name(value->name());
  value->set_name(std::move(name));
}

Status ReplaceByExpansion(Node& node) {
  DRAGOMAN_ASSIGN(const std::vector<Value*> results, FindOp(node)->expand(node));
  for (std::size_t i = 0; i < node.num_results() && i < results.size(); ++i) {
    const Value* old = node.result(i);
    if (old == nullptr || results[i] == nullptr) continue;
    results[i]->set_type(Refine(results[i]->type(), old->type()));
    TakePlace(results[i], node, i);
  }
  node.graph()->Erase(&node);
  return {};
}

void ExpandOperators(Graph& graph, bool (*has)(const Node& node)) {
  std::unordered_set<const Node*> kept;
  std::vector<Node*> lacking;
  do {
    lacking.clear();
    ForEachGraph(graph, [&](Graph& part) {
      for (Node& node : part.nodes()) {
        const OpDef* def = FindOp(node);
        const bool expands = def != nullptr && def->expand && !has(node);
        if (expands && !kept.contains(&node)) lacking.push_back(&node);
      }
    });
    for (Node* node : lacking) {
      if (!ReplaceByExpansion(*node).ok()) kept.insert(node);
    }
  } while (!lacking.empty());
}

}  // namespace dragoman

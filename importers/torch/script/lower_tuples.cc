// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/lower_tuples.h"

#include "importers/torch/script/graph_queries.h"

namespace dragoman::torch {
namespace {

void LowerUses(Node& node) {
  const Value* tuple = node.operand(0);
  const Node* producer = tuple == nullptr ? nullptr : tuple->producer();
  if (producer == nullptr || !IsPrim(*producer, "TupleConstruct")) return;
  if (IsPrim(node, "TupleUnpack")) {
    for (std::size_t i = 0; i < node.num_results() && i < producer->num_operands(); ++i) {
      node.result(i)->ReplaceAllUsesWith(producer->operand(i));
    }
  } else if (const auto index = KnownInt(node.operand(1))) {
    const auto size = static_cast<std::int64_t>(producer->num_operands());
    const std::int64_t at = *index < 0 ? *index + size : *index;
    if (at < 0 || at >= size) return;
    node.result()->ReplaceAllUsesWith(producer->operand(static_cast<std::size_t>(at)));
  }
}

}  // namespace

void LowerSimpleTuples(Graph& graph) {
  ForEachGraph(graph, [](Graph& block) {
    for (Node& node : block.nodes()) {
      if (IsPrim(node, "TupleUnpack") || IsPrim(node, "TupleIndex")) LowerUses(node);
    }
  });
}

}  // namespace dragoman::torch

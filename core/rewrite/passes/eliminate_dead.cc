#include "core/ops/op_def.h"
#include "core/rewrite/passes.h"

namespace dragoman {
namespace {

// Foreign nodes stay: what they do is not known.
bool IsDead(const Node& node) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr && node.result(i)->used()) return false;
  }
  return FindOp(node) != nullptr && !HasEffect(node);
}

bool HasForeignNode(const Node& node) {
  bool any = false;
  for (const Graph* body : node.subgraphs()) {
    ForEachGraph(*body, [&](const Graph& graph) {
      for (const Node& inner : graph.nodes()) any = any || FindOp(inner) == nullptr;
    });
  }
  return any;
}

}  // namespace

Result<bool> EliminateDead(Graph& graph, PassContext& context) {
  bool changed = false;
  // Backwards, so that a chain goes in one walk.
  for (Node* node = graph.last_node(); node != nullptr;) {
    Node* before = node->prev();
    if (IsDead(*node) && !HasForeignNode(*node)) {
      context.Explain(*node, "removed, since nothing reads it");
      context.Erase(*node);
      changed = true;
    }
    node = before;
  }
  graph.EraseConstantsIf([&](const Value& constant) {
    if (constant.used()) return false;
    context.inference.Forget(&constant);
    context.names.erase(constant.name());
    changed = true;
    return true;
  });
  return changed;
}

}  // namespace dragoman

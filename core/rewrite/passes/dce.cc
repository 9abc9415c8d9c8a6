// SPDX-License-Identifier: Apache-2.0
#include "core/ir/producer.h"
#include "core/ops/op_def.h"
#include "core/rewrite/passes.h"

namespace dragoman {
namespace {

// Foreign nodes stay: what they do is not known.
bool IsDead(const Node& node) {
  return !AnyResultUsed(node) && FindOp(node) != nullptr && !HasEffect(node);
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

bool IsRead(const Node& node, std::size_t result) {
  return node.result(result) != nullptr && node.result(result)->used();
}

// Whether some results, but not all, are read.
bool IsReadInPart(const Node& node) {
  std::size_t read = 0;
  for (std::size_t i = 0; i < node.num_results(); ++i) read += IsRead(node, i);
  return read > 0 && read < node.num_results();
}

// In place of `branch`, an If, one that has the results alone that something reads.
Result<Node*> WithUsedResults(Node& branch, PassContext& context) {
  std::vector<NamedAttribute> attributes = std::move(branch.attributes());
  branch.attributes().clear();
  std::size_t used = branch.num_results();
  for (std::size_t i = branch.num_results(); i-- > 0;) {
    if (IsRead(branch, i)) continue;
    --used;
    for (NamedAttribute& attribute : attributes) {
      if (Graph* body = attribute.value.graph()) body->RemoveOutput(i);
    }
  }
  Value* const condition[] = {branch.operand(0)};
  DRAGOMAN_ASSIGN(Node * made,
                  context.InsertNode(branch, "If", condition, std::move(attributes), used));
  std::vector<Value*> by(branch.num_results(), nullptr);
  for (std::size_t i = 0, next = 0; i < by.size(); ++i) {
    if (IsRead(branch, i)) by[i] = made->result(next++);
  }
  made->set_name(branch.name());
  context.Replace(branch, by);
  return made;
}

}  // namespace

Result<bool> EliminateDeadCode(Graph& graph, PassContext& context) {
  bool changed = false;
  // Backwards, so that a chain goes in one walk.
  for (Node* node = graph.last_node(); node != nullptr;) {
    Node* before = node->prev();
    if (IsDead(*node) && !HasForeignNode(*node)) {
      context.Explain(*node, "removed, since nothing reads it");
      context.Erase(*node);
      changed = true;
    } else if (node->Is("If") && IsReadInPart(*node) && !HasForeignNode(*node)) {
      DRAGOMAN_ASSIGN(const Node* made, WithUsedResults(*node, context));
      context.Explain(*made, "lost the results that nothing reads");
      changed = true;
    }
    node = before;
  }
  graph.EraseConstantsIf([&](const Value& constant) {
    if (constant.used()) return false;
    context.inference.Forget(&constant);
    context.ForgetName(constant.name());
    changed = true;
    return true;
  });
  return changed;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/left_overs.h"

namespace dragoman {

void LeftOvers::Erase(Graph& graph, PassContext& context) const {
  for (Node* node = graph.last_node(); node != nullptr;) {
    Node* previous = node->prev();
    bool used = before_.contains(node);
    for (std::size_t i = 0; i < node->num_results(); ++i) {
      used = used || (node->result(i) != nullptr && node->result(i)->used());
    }
    if (!used) context.Erase(*node);
    node = previous;
  }
  graph.EraseConstantsIf([&](const Value& constant) {
    if (constant.index() < num_constants_ || constant.used()) return false;
    context.inference.Forget(&constant);
    context.ForgetName(constant.name());
    return true;
  });
}

}  // namespace dragoman

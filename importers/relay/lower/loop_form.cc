#include "importers/relay/lower/loop_form.h"

#include <string>
#include <vector>

#include "importers/relay/graph/relay_ops.h"

namespace dragoman::relay {
namespace {

// The node that computes an output, through names that it was given.
const Node* ProducerOf(const Value* value) {
  const Node* node = value != nullptr ? value->producer() : nullptr;
  while (node != nullptr && IsNode(*node, "Let"))
    node = node->operand(0) != nullptr ? node->operand(0)->producer() : nullptr;
  return node;
}

bool Refers(const Node& node, std::string_view self, std::string_view global) {
  const std::string_view wanted = self.empty() ? global : self;
  if (!IsNode(node, self.empty() ? "GlobalVar" : "Self")) return false;
  const Attribute* name = node.attribute("name");
  const auto* text = name != nullptr ? name->As<std::string>() : nullptr;
  return text != nullptr && *text == wanted;
}

}  // namespace

const Graph& LoopForm::Side(bool holds) const {
  return *condition->attribute(holds ? "then_branch" : "else_branch")->graph();
}

std::optional<LoopForm> FindLoopForm(const Graph& body, std::string_view self,
                                     std::string_view global) {
  if (body.num_outputs() != 1) return std::nullopt;
  LoopForm form;
  form.condition = ProducerOf(body.output(0));
  if (form.condition == nullptr || !IsNode(*form.condition, "If") ||
      form.condition->graph() != &body)
    return std::nullopt;
  for (const bool holds : {true, false}) {
    const Graph& side = form.Side(holds);
    const Node* call = side.num_outputs() == 1 ? ProducerOf(side.output(0)) : nullptr;
    if (call == nullptr || call->graph() != &side || !IsNode(*call, "Call")) continue;
    const Value* callee = call->operand(0);
    if (callee == nullptr || callee->producer() == nullptr) continue;
    if (!Refers(*callee->producer(), self, global)) continue;
    if (form.call != nullptr) return std::nullopt;
    form.call = call;
    form.continues = holds;
  }
  if (form.call == nullptr) return std::nullopt;
  // No other call, and no other use of the function.
  std::size_t references = 0;
  ForEachGraph(body, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (!Refers(node, self, global)) continue;
      references += node.result()->HasOneUse() ? 1 : 2;
    }
  });
  if (references != 1) return std::nullopt;
  return form;
}

}  // namespace dragoman::relay

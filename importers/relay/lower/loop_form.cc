// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/lower/loop_form.h"

#include <string>
#include <vector>

#include "core/ir/find_as.h"
#include "importers/relay/graph/relay_ops.h"

namespace dragoman::relay {
namespace {

bool Refers(const Node& node, std::string_view self, std::string_view global) {
  const std::string_view wanted = self.empty() ? global : self;
  if (!IsNode(node, self.empty() ? "GlobalVar" : "Self")) return false;
  const auto* text = FindAs<std::string>(node.attributes(), "name");
  return text != nullptr && *text == wanted;
}

struct LoopEnds {
  std::size_t calls = 0;
  std::size_t others = 0;
  bool branches = false;  // at an If
};

// The ends of all ways through `graph`: those that call the function go to `form`.
LoopEnds FindEnds(const Graph& graph, std::string_view self, std::string_view global,
                  LoopForm& form) {
  LoopEnds ends;
  std::vector<const Graph*> open = {&graph};
  while (!open.empty()) {
    const Graph* at = open.back();
    open.pop_back();
    const Node* tail = TailOf(*at);
    const bool is_if = tail != nullptr && IsNode(*tail, "If");
    if (is_if || (tail != nullptr && IsNode(*tail, "Match"))) {
      ends.branches = ends.branches || is_if;
      for (const Graph* side : tail->subgraphs()) open.push_back(side);
      continue;
    }
    const Value* callee = tail != nullptr && IsNode(*tail, "Call") ? tail->operand(0) : nullptr;
    if (callee != nullptr && callee->producer() != nullptr &&
        Refers(*callee->producer(), self, global)) {
      form.calls.insert(tail);
      ++ends.calls;
    } else {
      ++ends.others;
    }
  }
  return ends;
}

}  // namespace

const Graph& LoopForm::Side(bool holds) const {
  return *condition->attribute(holds ? "then_branch" : "else_branch")->graph();
}

const Node* ProducerBehindNames(const Value* value) {
  const Node* node = value != nullptr ? value->producer() : nullptr;
  while (node != nullptr && IsNode(*node, "Let"))
    node = node->operand(0) != nullptr ? node->operand(0)->producer() : nullptr;
  return node;
}

const Node* TailOf(const Graph& graph) {
  const Node* node = ProducerBehindNames(graph.num_outputs() == 1 ? graph.output(0) : nullptr);
  return node != nullptr && node->graph() == &graph ? node : nullptr;
}

std::optional<LoopForm> FindLoopForm(const Graph& body, std::string_view self,
                                     std::string_view global) {
  LoopForm form;
  const LoopEnds ends = FindEnds(body, self, global, form);
  if (ends.calls == 0 || !ends.branches) return std::nullopt;
  // No other call, and no other use of the function.
  std::size_t references = 0;
  ForEachGraph(body, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (!Refers(node, self, global)) continue;
      references += node.result()->HasOneUse() ? 1 : 2;
    }
  });
  if (references != ends.calls) return std::nullopt;
  const Node* tail = TailOf(body);
  if (!IsNode(*tail, "If")) return form;
  form.condition = tail;
  for (const bool holds : {true, false}) {
    LoopForm ignored;
    const LoopEnds goes_on = FindEnds(form.Side(holds), self, global, ignored);
    const LoopEnds ends_there = FindEnds(form.Side(!holds), self, global, ignored);
    form.continues = holds;
    if (goes_on.others == 0 && ends_there.calls == 0) return form;
  }
  form.condition = nullptr;
  return form;
}

}  // namespace dragoman::relay

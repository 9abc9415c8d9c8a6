// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/zero_states.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/sequence_node.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

constexpr std::size_t kFirstState = 5;
constexpr std::size_t kInitialC = 6;  // of an LSTM

std::optional<std::int64_t> StepsOf(const Node& node) {
  return SizeAlong(*node.operand(0), IntAttribute(node, "layout") != 0 ? 1 : 0);
}

// Whether operand `i` is zeros for the batch that the input states. One step may be the first of
// many, whose states show in what becomes of them.
bool IsZeroState(const Node& node, std::size_t i) {
  const Value* state = node.operand(i);
  if (state == nullptr || !IsZero(state) || StepsOf(node) == 1) return false;
  const Shape* of_state = state->type().shape();
  const Shape* of_input = node.operand(0)->type().shape();
  if (of_state == nullptr || of_input == nullptr) return false;
  const std::size_t batch_in_state = IntAttribute(node, "layout") != 0 ? 0 : 1;
  return Equal((*of_state)[batch_in_state], (*of_input)[batch_in_state]) == Truth::kYes;
}

bool RemoveZeroStates(Node& node, PassContext& context) {
  const bool has_c = !node.Is("GRU") && !node.Is("RNN");
  const bool h = IsZeroState(node, kFirstState), c = has_c && IsZeroState(node, kInitialC);
  if ((!h && !c) || !context.sites.Take(node)) return false;
  if (h) node.set_operand(kFirstState, nullptr);
  if (c) node.set_operand(kInitialC, nullptr);
  while (node.operands().back().value() == nullptr) node.RemoveTrailingOperand();
  return true;
}

}  // namespace

bool RemoveZeroStates(Graph& graph, PassContext& context) {
  bool changed = false;
  for (Node& node : graph.nodes()) {
    changed = (IsRecurrent(node) && RemoveZeroStates(node, context)) || changed;
  }
  return changed;
}

}  // namespace dragoman

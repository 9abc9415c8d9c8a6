// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/open_steps.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ops/op_def.h"
#include "core/rewrite/recurrence/equal_steps.h"
#include "core/rewrite/recurrence/loop_lengths.h"
#include "core/rewrite/recurrence/loop_results.h"
#include "core/rewrite/recurrence/masked_states.h"
#include "core/rewrite/sequence_node.h"
#include "core/rewrite/unroll.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

constexpr int kMaxSourceHops = 32;
constexpr std::size_t kHidden = 5;  // the operands of the initial states
constexpr std::size_t kCell = 6;

// Whether all elements of operand 0 are those of the result, which may have other axes.
bool KeepsElements(const Node& node) {
  if (KeepsOrder(node) || node.Is("Transpose")) return true;
  if (node.Is("Concat")) return node.num_operands() == 1;
  if (!node.Is("Gather") && !node.Is("Slice") && !node.Is("Split")) return false;
  const Shape* from = node.operand(0)->type().shape();
  const Shape* to = node.result(0)->type().shape();
  if (from == nullptr || to == nullptr) return false;
  const auto without_ones = [](Shape shape) {
    std::erase_if(shape, [](const Dim& dim) { return dim == Dim(1); });
    return shape;
  };
  return without_ones(*from) == without_ones(*to);
}

// What `value` is made of by moving elements, all of them.
const Value* Source(const Value* value) {
  for (int hop = 0; hop < kMaxSourceHops && value != nullptr && value->producer() != nullptr;
       ++hop) {
    if (!KeepsElements(*value->producer())) break;
    value = value->producer()->operand(0);
  }
  return value;
}

bool IsOneStep(Node& node) {
  if (!node.Is("LSTM") && !node.Is("GRU") && !node.Is("RNN")) return false;
  const Result<SequenceNode> sequence = SequenceNode::Read(node);
  return sequence.ok() && sequence->steps == Dim(1) && sequence->form.directions == 1 &&
         sequence->lengths() == nullptr && node.operand(kHidden) != nullptr &&
         (!node.Is("LSTM") || node.operand(kCell) != nullptr);
}

// Whether `value` is the new state of `node` that the next step reads as operand `state`; of hidden
// states, that of its one step or the last one.
bool IsNewState(const Value* value, const Node& node, std::size_t state) {
  if (value == nullptr) return false;
  if (state == kCell) return value == node.result(2);
  return value == node.result(0) || value == node.result(1);
}

// What a mask makes of a new state of `node` and the state `old`; nullopt if `value` is anything
// else.
std::optional<StepMask> MaskOver(const Value& value, const Value& old, const Node& node,
                                 std::size_t state, AffineForms& forms) {
  const auto is_new = [&](AtomId id) {
    return IsWhole(forms.atom(id)) && IsNewState(forms.atom(id).value, node, state);
  };
  const auto masked = ReadMasked(WholeAtom(value, forms), is_new, forms);
  if (!masked) return std::nullopt;
  const bool keeps = masked->kept != kNoAtom ? masked->kept == WholeAtom(old, forms) : IsZero(&old);
  return keeps ? std::optional(masked->mask) : std::nullopt;
}

// Values of the graph at hand that `node` or its bodies read.
template <class F>
void ForEachRead(const Node& node, F&& visit) {
  for (const Use& use : node.operands()) {
    if (use.value() != nullptr) visit(*use.value());
  }
  for (const Graph* body : node.subgraphs()) {
    ForEachGraph(*body, [&](const Graph& graph) {
      for (const Use& use : graph.outputs()) visit(*use.value());
      for (const Node& inner : graph.nodes()) {
        for (const Use& use : inner.operands()) {
          if (use.value() != nullptr) visit(*use.value());
        }
      }
    });
  }
}

Result<bool> Open(const std::vector<Node*>& nodes, PassContext& context) {
  bool changed = false;
  for (Node* node : nodes) {
    if (!context.sites.Take(*node)) continue;
    DRAGOMAN_TRY(UnrollSequence(*node, context));
    changed = true;
  }
  return changed;
}

// The operators of one loop. A value depends on a state unless the operators between become ones
// over all iterations.
class LoopSteps {
 public:
  LoopSteps(const LoopView& loop, const PassContext& context)
      : loop_(loop), forms_(context.inference) {
    for (const LoopState& state : loop.states) {
      if (state.output == state.input || loop.numbers.contains(state.input)) continue;
      states_[state.input] = &state;
      depends_.insert(state.input);
    }
  }

  std::vector<Node*> Find() {
    std::vector<Node*> found;
    for (Node& node : loop_.body->nodes()) {
      if (IsOneStep(node) && !depends_.contains(node.operand(0)) && PassesStates(node)) {
        found.push_back(&node);
        for (std::size_t state : {kHidden, kCell}) depends_.erase(StateIn(node, state));
        continue;
      }
      Follow(node);
    }
    return found;
  }

  // All that follows from a state, whichever operators there are.
  std::unordered_set<const Value*> FollowAll() {
    for (const Node& node : loop_.body->nodes()) Follow(node);
    return std::move(depends_);
  }

 private:
  void Follow(const Node& node) {
    bool depends = false;
    ForEachRead(node, [&](const Value& value) { depends = depends || depends_.contains(&value); });
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      const Value* result = node.result(i);
      const bool is_known = loop_.slices.contains(result) || loop_.numbers.contains(result);
      if (depends && result != nullptr && !is_known) depends_.insert(result);
    }
  }

  static const Value* StateIn(const Node& node, std::size_t operand) {
    return operand < node.num_operands() ? Source(node.operand(operand)) : nullptr;
  }

  bool PassesStates(const Node& node) {
    return Passes(node, kHidden) && (!node.Is("LSTM") || Passes(node, kCell));
  }

  // Whether the next iteration reads what `node` makes of its operand `operand`, as far as a
  // sequence goes.
  bool Passes(const Node& node, std::size_t operand) {
    const auto found = states_.find(StateIn(node, operand));
    if (found == states_.end()) return false;
    const LoopState& state = *found->second;
    if (IsNewState(Source(state.output), node, operand)) return true;
    const auto mask = MaskOver(*state.output, *state.input, node, operand, forms_);
    return mask && (LengthsOf(*mask, loop_, /*reverse=*/false, forms_) != nullptr ||
                    LengthsOf(*mask, loop_, /*reverse=*/true, forms_) != nullptr);
  }

  const LoopView& loop_;
  AffineForms forms_;
  std::unordered_map<const Value*, const LoopState*> states_;  // by input, looked up only
  std::unordered_set<const Value*> depends_;
};

// Operators in a row. Chains are distinguished by bits.
class Rows {
 public:
  Rows(Graph& graph, PassContext& context)
      : graph_(graph), context_(context), forms_(context.inference) {}

  std::vector<Node*> Find() {
    for (Node& node : graph_.nodes()) Visit(node);
    std::vector<Node*> found;
    for (const Row& row : rows_) {
      if (row.nodes.size() >= 2) found.insert(found.end(), row.nodes.begin(), row.nodes.end());
    }
    return found;
  }

 private:
  static constexpr std::size_t kMaxRows = 64;
  using Mask = std::uint64_t;

  struct Row {
    std::vector<Node*> nodes;
    Mask mask = 0;  // of itself, and of what its first states and its inputs depend on
  };

  void Visit(Node& node) {
    const Mask mask = IsOneStep(node) ? Enter(node) : MaskOfReads(node);
    if (mask == 0) return;
    for (std::size_t i = 0; i < node.num_results(); ++i) masks_[node.result(i)] = mask;
  }

  Mask MaskOfReads(const Node& node) const {
    Mask mask = 0;
    ForEachRead(node, [&](const Value& value) { mask |= MaskOf(value); });
    return mask;
  }

  Mask MaskOf(const Value& value) const {
    const auto found = masks_.find(&value);
    return found != masks_.end() ? found->second : 0;
  }

  // The mask of the row that the node goes on with or begins; if there are too many, of none.
  Mask Enter(Node& node) {
    const Mask of_input = MaskOf(*node.operand(0));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Row& row = rows_[i];
      if (!GoesOn(*row.nodes.back(), node)) continue;
      if ((of_input & (Mask{1} << i)) != 0) break;
      row.nodes.push_back(&node);
      return row.mask |= of_input;
    }
    const Mask mask = MaskOfReads(node);
    if (rows_.size() == kMaxRows) return mask;
    rows_.push_back({{&node}, mask | Mask{1} << rows_.size()});
    return rows_.back().mask;
  }

  bool GoesOn(const Node& before, const Node& node) {
    if (!SameForm(before, node) || !ReadsState(before, node, kHidden)) return false;
    if (node.Is("LSTM") && !ReadsState(before, node, kCell)) return false;
    for (std::size_t i = 1; i < node.num_operands(); ++i) {
      if (i == kHidden || i == kCell) continue;
      const Tensor* a = ConstantOf(before.operand(i));
      const Tensor* b = ConstantOf(node.operand(i));
      const bool same = before.operand(i) == node.operand(i);
      if (!same && (a == nullptr || b == nullptr || !(*a == *b))) return false;
    }
    return true;
  }

  // Whether `node` reads what `before` makes of its operand `operand`, as far as a sequence goes.
  bool ReadsState(const Node& before, const Node& node, std::size_t operand) {
    if (IsNewState(Source(node.operand(operand)), before, operand)) return true;
    const auto mask =
        MaskOver(*node.operand(operand), *before.operand(operand), before, operand, forms_);
    return mask && ReadLimit(*mask, context_, forms_);
  }

  Graph& graph_;
  PassContext& context_;
  AffineForms forms_;
  std::vector<Row> rows_;
  std::unordered_map<const Value*, Mask> masks_;  // looked up only
};

}  // namespace

Result<bool> OpenSteps(const LoopView& loop, PassContext& context) {
  return Open(LoopSteps(loop, context).Find(), context);
}

std::unordered_set<const Value*> FollowStates(const LoopView& loop, const PassContext& context) {
  return LoopSteps(loop, context).FollowAll();
}

Result<bool> OpenSteps(Graph& graph, PassContext& context) {
  return Open(Rows(graph, context).Find(), context);
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/step_pieces.h"

#include "core/ops/op_def.h"

namespace dragoman {
namespace {

class Hoister {
 public:
  Hoister(const RunSpan& run, const FusedValues& fused, PassContext& context)
      : run_(run), fused_(fused), context_(context) {}

  Result<bool> Hoist(std::span<Value* const> values) {
    MarkSpan();
    for (const Value* value : values) Need(value);
    while (!stack_.empty() && possible_) {
      Node* node = stack_.back();
      stack_.pop_back();
      DRAGOMAN_TRY(Visit(*node));
    }
    if (possible_) Move();
    return possible_;
  }

 private:
  void MarkSpan() {
    for (const Node* node = run_.first; node != nullptr; node = node->next()) {
      span_.insert(node);
      bool depends = run_.cells.contains(node);
      ForEachRead(*node, [&](const Value& value) {
        depends = depends || dependent_.contains(value.producer());
      });
      if (depends) dependent_.insert(node);
      if (node == run_.last) break;
    }
  }

  // Values of this graph only.
  template <class F>
  void ForEachRead(const Node& node, F&& visit) const {
    const auto visit_all = [&](const auto& uses) {
      for (const Use& use : uses) {
        const Value* value = use.value();
        if (value != nullptr && value->graph() == run_.first->graph()) visit(*value);
      }
    };
    visit_all(node.operands());
    for (const Graph* body : node.subgraphs()) {
      ForEachGraph(*body, [&](const Graph& graph) {
        visit_all(graph.outputs());
        for (const Node& inner : graph.nodes()) visit_all(inner.operands());
      });
    }
  }

  bool IsFused(const Value& value) const {
    return fused_.hidden.contains(&value) || fused_.last.contains(&value);
  }

  void Need(const Value* value) {
    possible_ = possible_ && !IsFused(*value);
    Node* node = value->producer();
    if (node == nullptr || !span_.contains(node) || !needed_.insert(node).second) return;
    possible_ = possible_ && !dependent_.contains(node) && !HasEffect(*node);
    stack_.push_back(node);
  }

  Status Visit(Node& node) {
    for (std::size_t i = 0; i < node.num_operands(); ++i) {
      Value* value = node.operand(i);
      if (value == nullptr || !IsFused(*value)) continue;
      const Node* before = node.prev();
      DRAGOMAN_ASSIGN(Value * current, CurrentValue(value, fused_, node, context_));
      for (const Node* made = node.prev(); made != before; made = made->prev()) span_.insert(made);
      possible_ = possible_ && current != nullptr;
      if (!possible_) return {};
      node.set_operand(i, current);
    }
    ForEachRead(node, [&](const Value& value) { Need(&value); });
    return {};
  }

  void Move() {
    for (Node* node = run_.first; !needed_.empty();) {
      Node* const next = node->next();
      if (needed_.erase(node) != 0) node->graph()->MoveBefore(node, run_.first);
      node = next;
    }
  }

  const RunSpan& run_;
  const FusedValues& fused_;
  PassContext& context_;
  std::unordered_set<const Node*> span_, dependent_, needed_;
  std::vector<Node*> stack_;
  bool possible_ = true;
};

}  // namespace

std::vector<StepPiece> SplitIntoPieces(std::span<const AtomId> atoms, const AffineForms& forms,
                                       const FusedValues& fused) {
  std::vector<StepPiece> pieces;
  for (AtomId id : atoms) {
    const auto source = SourceOf(forms.atom(id), fused);
    if (!source) {
      pieces.push_back({std::nullopt, id});
      continue;
    }
    const bool goes_on =
        !pieces.empty() && pieces.back().steps && source->SameSequence(pieces.back().steps->first);
    if (!goes_on) pieces.push_back({SequenceInput{*source, {}}, kNoAtom});
    pieces.back().steps->order.push_back(source->step);
  }
  return pieces;
}

Result<bool> HoistBefore(const RunSpan& run, std::span<Value* const> values,
                         const FusedValues& fused, PassContext& context) {
  return Hoister(run, fused, context).Hoist(values);
}

}  // namespace dragoman

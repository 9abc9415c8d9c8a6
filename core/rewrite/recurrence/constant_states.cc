// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/constant_states.h"

namespace dragoman {
namespace {

constexpr std::size_t kMaxStateNodes = 500;

class StateFinder {
 public:
  StateFinder(AffineForms& forms, const NodePositions& positions,
              std::unordered_set<const Value*>& states)
      : forms_(forms), positions_(positions), states_(states) {}

  // What cells read as weights. The states of `second`, the second of a chain, are not constants.
  void EnterWeights(const CellStep& second) {
    const auto nodes = CollectCellNodes(second, /*initial=*/false, forms_, positions_);
    if (!nodes) return;
    for (const Node* node : nodes->all) {
      if (node->Is("Where")) continue;  // zeros beyond a length
      for (const Use& use : node->operands()) {
        if (use.value() != nullptr) weights_.insert(forms_.consts().Of(use.value()));
      }
    }
  }

  // States of a chain: what lies after them belongs to no first step of another chain.
  void EnterStates(const CellChain& chain) {
    for (const CellStep& step : chain.steps) {
      for (const AtomId id : {step.cell->h, step.cell->c}) {
        if (id != kNoAtom) made_.insert(forms_.atom(id).value->producer());
      }
    }
  }

  void Visit(const CellStep& first) {
    for (const Value* value : ReadBefore(first)) {
      const ConstId id = forms_.consts().Of(value);
      if (id != kNoConst && !weights_.contains(id) && HasSizesOfState(*value, first)) {
        states_.insert(value);
      }
    }
  }

 private:
  // What the nodes read that compute the states of `first`, the nearest first: those of a cell, and
  // some before it.
  std::vector<const Value*> ReadBefore(const CellStep& first) {
    std::vector<const Value*> read;
    std::vector<const Node*> queue;
    std::unordered_set<const Node*> seen;
    const auto push = [&](const Value* value) {
      if (value == nullptr) return;
      read.push_back(value);
      const Node* node = value->producer();
      if (node == nullptr || forms_.consts().Of(value) != kNoConst) return;
      const bool goes_on = positions_.contains(node) && !made_.contains(node);
      if (goes_on && seen.insert(node).second) queue.push_back(node);
    };
    for (AtomId id : {first.old_h, first.old_c.atom}) {
      if (id != kNoAtom && forms_.atom(id).step_axis < 0) push(forms_.atom(id).value);
    }
    for (std::size_t i = 0; i < queue.size() && i < kMaxStateNodes; ++i) {
      for (const Use& use : queue[i]->operands()) push(use.value());
    }
    return read;
  }

  // The hidden state's or, as they differ after a projection, the cell state's.
  bool HasSizesOfState(const Value& value, const CellStep& first) const {
    const AtomId c = first.old_c.atom;
    return HasSizesOf(value, forms_.atom(first.old_h)) ||
           (c != kNoAtom && HasSizesOf(value, forms_.atom(c)));
  }

  static bool HasSizesOf(const Value& value, const Atom& state) {
    const int rank = state.value->type().rank().value_or(0);
    if (value.type().rank() != rank || state.axis == 0) return false;
    for (int axis = 0; axis < rank; ++axis) {
      const auto size = SizeAlong(value, axis);
      if (axis == state.axis ? size != state.size
                             : size != 1 && size != SizeAlong(*state.value, axis)) {
        return false;
      }
    }
    return true;
  }

  AffineForms& forms_;
  const NodePositions& positions_;
  std::unordered_set<const Value*>& states_;
  std::unordered_set<ConstId> weights_;
  std::unordered_set<const Node*> made_;
};

}  // namespace

std::unordered_set<const Value*> FindConstantStates(const std::vector<CellChain>& chains,
                                                    AffineForms& forms,
                                                    const NodePositions& positions) {
  std::unordered_set<const Value*> states;
  StateFinder finder(forms, positions, states);
  for (const CellChain& chain : chains) {
    finder.EnterWeights(chain.steps[1]);
    finder.EnterStates(chain);
  }
  for (const CellChain& chain : chains) {
    if (chain.steps.front().old_h != kNoAtom) finder.Visit(chain.steps.front());
  }
  return states;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/explain_states.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

namespace dragoman {
namespace {

constexpr int kMaxStateHops = 8;
constexpr std::size_t kMaxMixingNodes = 8;

// What a bounding operator reads, all of it; kNoAtom if `id` is not a result of one.
AtomId Unclipped(AtomId id, AffineForms& forms) {
  const Atom atom = forms.atom(id);
  const Node* node = atom.step_axis < 0 ? atom.value->producer() : nullptr;
  if (node == nullptr || (!node->Is("Clip") && !node->Is("Min") && !node->Is("Max"))) {
    return kNoAtom;
  }
  const Value* operand = node->operand(0);
  if (operand->type().rank() != atom.value->type().rank()) return kNoAtom;
  return forms.Intern({.value = operand, .axis = atom.axis, .size = atom.size});
}

// Min of Max is one bound more.
AtomId FullyUnclipped(AtomId id, AffineForms& forms) {
  const AtomId inner = id != kNoAtom ? Unclipped(id, forms) : kNoAtom;
  if (inner == kNoAtom) return kNoAtom;
  const AtomId innermost = Unclipped(inner, forms);
  return innermost != kNoAtom ? innermost : inner;
}

// Whether `node` gives its first operand that is not a constant, moved, cast, or from 1 to 0. By
// name: only what is found around factors, so that explanations name the right one.
bool KeepsFactor(const Node& node) {
  constexpr std::string_view kTypes[] = {"Add",     "Cast",  "Expand",  "Gather", "Identity", "Neg",
                                         "Reshape", "Slice", "Squeeze", "Sub",    "Unsqueeze"};
  return std::ranges::any_of(kTypes, [&](std::string_view type) { return node.Is(type); });
}

// Where a factor comes from.
const Value* SourceOfFactor(const Value* factor) {
  for (int hop = 0; hop < kMaxStateHops; ++hop) {
    const Node* node = factor->producer();
    if (node == nullptr || !KeepsFactor(*node)) break;
    const Value* next = nullptr;
    for (const Use& use : node->operands()) {
      const bool is_source =
          next == nullptr && use.value() != nullptr && ConstantOf(use.value()) == nullptr;
      if (is_source) next = use.value();
    }
    if (next == nullptr) break;
    factor = next;
  }
  return factor;
}

struct ClippedCells {
  std::string_view what;
  std::size_t count = 0;
  const Node* first = nullptr;

  void Add(const Node* node) {
    if (count++ == 0) first = node;
  }
};

}  // namespace

const Value* FindMixingFactor(const Value& next) {
  std::vector<const Value*> open = {&next};
  for (std::size_t i = 0; i < open.size() && i < kMaxMixingNodes; ++i) {
    const Node* node = open[i]->producer();
    if (node == nullptr || (!node->Is("Add") && !node->Is("Sub") && !node->Is("Mul"))) continue;
    for (const Use& use : node->operands()) {
      const Value* operand = use.value();
      const int rank = operand->type().rank().value_or(0);
      const bool is_factor = node->Is("Mul") && ConstantOf(operand) == nullptr && rank > 0 &&
                             SizeAlong(*operand, rank - 1) == 1 &&
                             SizeAlong(*node->result(), rank - 1) != 1;
      if (is_factor) return SourceOfFactor(operand);
      open.push_back(operand);
    }
  }
  return nullptr;
}

void ExplainClippedStates(const std::vector<RecurrentCell>& cells, AffineForms& forms,
                          PassContext& context) {
  std::unordered_map<AtomId, const RecurrentCell*> by_c;
  ClippedCells by_cell_state{"cell state"};
  ClippedCells by_hidden_state{"hidden state"};
  for (const RecurrentCell& cell : cells) {
    if (cell.kind != RecurrentCell::Kind::kLstm) continue;
    const AtomId c = FullyUnclipped(cell.old_c.atom, forms);
    const auto clipped = by_c.find(c);
    const auto before = clipped != by_c.end() ? clipped : by_c.find(cell.old_c.atom);
    const bool is_new = by_c.emplace(cell.c, &cell).second;
    if (!is_new || before == by_c.end()) continue;
    if (before == clipped) by_cell_state.Add(cell.node);
    const AtomId given = before->second->h;
    bool is_clipped = false;
    for (const AffineTerm& term : cell.gates.front().argument.terms) {
      if (ProjectionOf(term.atom, given, forms)) continue;
      const AtomId h = FullyUnclipped(term.atom, forms);
      is_clipped = is_clipped || (h != kNoAtom && (h == given || ProjectionOf(h, given, forms)));
    }
    if (is_clipped) by_hidden_state.Add(cell.node);
  }
  for (const ClippedCells& found : {by_cell_state, by_hidden_state}) {
    if (found.count == 0) continue;
    context.Explain(*found.first,
                    fmt::format("{} steps of LSTM are not fused, since their {} is clipped "
                                "otherwise than operators do",
                                found.count + 1, found.what));
  }
}

void ExplainMixedStates(const std::vector<const RecurrentCell*>& cells, AffineForms& forms,
                        PassContext& context) {
  const RecurrentCell* first = nullptr;
  const Value* factor = nullptr;
  std::size_t count = 0;
  for (const RecurrentCell* cell : cells) {
    const bool is_lstm = cell->kind == RecurrentCell::Kind::kLstm;
    const AtomId old = is_lstm ? cell->old_c.atom : cell->old_h.atom;
    const Value* mixed = old != kNoAtom ? FindMixingFactor(*forms.atom(old).value) : nullptr;
    if (mixed == nullptr) continue;
    if (count++ == 0) first = cell;
    factor = mixed;
  }
  if (count == 0) return;
  context.Explain(*first->node, fmt::format("{} steps of {} are not fused, since {}", count + 1,
                                            Name(first->kind), MixesStates(*factor)));
}

std::string MixesStates(const Value& factor) {
  return fmt::format("%{}, which is not known to be 0 or 1, mixes new and old states",
                     factor.name());
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/cell_nodes.h"

#include <algorithm>
#include <iterator>

#include "core/ops/op_def.h"
#include "core/rewrite/recurrence/sequence_steps.h"

namespace dragoman {
namespace {

constexpr std::size_t kMaxNodes = 500;

bool IsIn(const std::unordered_set<const Value*>& values, const Value* value) {
  return value != nullptr && values.contains(value);
}

std::unordered_set<const Value*> StatesOf(const CellStep& step, const AffineForms& forms) {
  std::unordered_set<const Value*> states;
  if (step.old_h != kNoAtom) states.insert(forms.atom(step.old_h).value);
  if (step.old_c.atom != kNoAtom) states.insert(forms.atom(step.old_c.atom).value);
  return states;
}

// What masks make of the new states.
std::vector<AtomId> MaskedResults(const CellStep& step) {
  std::vector<AtomId> results = step.zeroed_h;
  for (AtomId id : {step.carried_h, step.carried_c}) {
    if (id != kNoAtom) results.push_back(id);
  }
  return results;
}

// The values that the operator yields in place of the cell.
std::unordered_set<const Value*> Yielded(const CellStep& step, const AffineForms& forms) {
  std::unordered_set<const Value*> values;
  if (!step.masked()) values.insert(forms.atom(step.cell->h).value);
  for (AtomId id : step.zeroed_h) values.insert(forms.atom(id).value);
  if (step.carried_h != kNoAtom) values.insert(forms.atom(step.carried_h).value);
  return values;
}

// Whether `node` gives what a mask keeps of a state. By name: what a selection is spelled by.
bool MayKeep(const Node& node) { return node.Is("Where") || node.Is("Mul"); }

// Nodes that compute from a state. What merely moves a state stays useful without the cell, and so
// does what a mask keeps of an initial state: cells with the same states share it. What is computed
// in a graph around that of the cell, after its `border`, may come from a state, too.
void MarkInterior(const std::unordered_set<const Value*>& states, bool initial,
                  const std::unordered_set<const Value*>& border, CellNodes& nodes) {
  std::unordered_set<const Value*> moved = states;
  std::unordered_set<const Value*> computed;
  for (Node* node : nodes.all) {
    const auto reads = [&](const std::unordered_set<const Value*>& values) {
      return std::any_of(node->operands().begin(), node->operands().end(),
                         [&](const Use& use) { return IsIn(values, use.value()); });
    };
    const bool reads_outside =
        std::any_of(node->operands().begin(), node->operands().end(), [&](const Use& use) {
          const Value* value = use.value();
          return value != nullptr && value->producer() != nullptr &&
                 value->graph() != node->graph() && !border.contains(value);
        });
    const bool stays = OnlyMoves(*node) || (initial && MayKeep(*node));
    const bool interior = reads_outside || reads(computed) || (reads(moved) && !stays);
    if (!interior && !reads(moved)) continue;
    if (interior) nodes.interior.insert(node);
    for (std::size_t i = 0; i < node->num_results(); ++i) {
      if (node->result(i) != nullptr) (interior ? computed : moved).insert(node->result(i));
    }
  }
}

}  // namespace

NodePositions NumberNodes(const Graph& graph) {
  NodePositions positions;
  positions.Reserve(graph.num_nodes());
  std::size_t position = 0;
  for (const Node& node : graph.nodes()) positions.TryEmplace(&node, position++);
  return positions;
}

std::optional<CellNodes> CollectCellNodes(const CellStep& step, bool initial,
                                          const AffineForms& forms,
                                          const NodePositions& positions) {
  const std::unordered_set<const Value*> states = StatesOf(step, forms);
  std::unordered_set<const Value*> border = states;
  for (AtomId input : step.inputs) border.insert(forms.atom(input).value);
  border.insert(step.mask.mask);
  CellNodes nodes;
  std::vector<Node*> stack = {step.cell->node};
  for (AtomId id : MaskedResults(step)) stack.push_back(Mutable(*forms.atom(id).value)->producer());
  while (!stack.empty()) {
    Node* node = stack.back();
    stack.pop_back();
    if (!positions.contains(node) || !nodes.members.insert(node).second) continue;
    if (nodes.members.size() > kMaxNodes) return std::nullopt;
    nodes.all.push_back(node);
    for (const Use& use : node->operands()) {
      if (use.value() == nullptr || border.contains(use.value())) continue;
      if (use.value()->producer() != nullptr) stack.push_back(use.value()->producer());
    }
  }
  std::sort(nodes.all.begin(), nodes.all.end(),
            [&](const Node* a, const Node* b) { return *positions.Find(a) < *positions.Find(b); });
  MarkInterior(states, initial, border, nodes);
  return nodes;
}

void MaskedReaders::Add(const StepMask& mask, const CellNodes& nodes) {
  auto& known = nodes_[{mask.mask, mask.inverted}];
  for (const Node* node : nodes.all) {
    bool& interior = known[node];
    interior = interior || nodes.interior.contains(node);
  }
}

bool MaskedReaders::Cover(const StepMask& mask, const Use& use) const {
  const auto known = nodes_.find({mask.mask, mask.inverted});
  if (known == nodes_.end()) return false;
  std::vector<const Node*> open = {use.user()};
  std::unordered_set<const Node*> seen;
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    const auto found = known->second.find(node);
    if (found == known->second.end() || seen.size() > kMaxNodes) return false;
    if (found->second || !seen.insert(node).second) continue;
    for (std::size_t i = 0; i < node->num_results(); ++i) {
      const Value* result = node->result(i);
      if (result == nullptr) continue;
      for (const Use* next = result->first_use(); next != nullptr; next = next->next()) {
        open.push_back(next->user());
      }
    }
  }
  return true;
}

std::optional<Escape> FindEscape(const CellStep& step, const CellNodes& nodes,
                                 const CellNodes* next, const MaskedReaders& readers,
                                 const AffineForms& forms) {
  const Value* given = step.masked() ? forms.atom(step.given()).value : nullptr;
  const AtomId c = step.masked() ? step.carried_c : step.cell->c;
  const std::unordered_set<const Value*> yielded = Yielded(step, forms);
  const Value* carried = step.carried_h != kNoAtom ? forms.atom(step.carried_h).value : nullptr;
  std::unordered_set<const Value*> cell_state;  // however it is moved
  if (c != kNoAtom) cell_state.insert(forms.atom(c).value);
  std::optional<Escape> state_escape;
  for (Node* node : nodes.all) {
    // What a first step gives before its mask comes from no state, but goes with the cell, too.
    const bool gives = given != nullptr && node->result() == given;
    if ((!nodes.interior.contains(node) && !gives) || IsIn(yielded, node->result())) continue;
    const bool moves_state = OnlyMoves(*node) && IsIn(cell_state, node->operand(0));
    for (std::size_t i = 0; i < node->num_results(); ++i) {
      const Value* value = node->result(i);
      if (value == nullptr) continue;
      if (moves_state) cell_state.insert(value);
      const bool is_state = cell_state.contains(value);
      for (const Use* use = value->first_use(); use != nullptr; use = use->next()) {
        if (use->user() != nullptr && nodes.members.contains(use->user())) continue;
        if ((is_state || value == carried) && next != nullptr && use->user() != nullptr &&
            next->members.contains(use->user())) {
          continue;
        }
        if (value == given && readers.Cover(step.mask, *use)) continue;
        if (!is_state) return Escape{value, use, false};
        state_escape = Escape{value, use, true};
      }
    }
  }
  return state_escape;
}

}  // namespace dragoman

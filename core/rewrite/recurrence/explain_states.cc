#include "core/rewrite/recurrence/explain_states.h"

#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

namespace dragoman {
namespace {

// What a bounding operator reads, all of it; kNoAtom if `id` is no result of one.
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

struct ClippedCells {
  std::string_view what;
  std::size_t count = 0;
  const Node* first = nullptr;

  void Add(const Node* node) {
    if (count++ == 0) first = node;
  }
};

}  // namespace

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

}  // namespace dragoman

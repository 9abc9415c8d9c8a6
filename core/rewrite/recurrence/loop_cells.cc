// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/loop_cells.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/ops/op_def.h"
#include "core/rewrite/recurrence/loop_results.h"
#include "core/rewrite/recurrence/loop_view.h"
#include "core/rewrite/recurrence/open_steps.h"

namespace dragoman {
namespace {

using Kind = RecurrentCell::Kind;

constexpr std::size_t kMostValuesOfState = 64;  // on the ways from a new state to what passes on

// What the body of a loop gives for the next iteration, if `input` is a state of it; else nullptr.
const Value* NextIterationOf(const Value& input) {
  const Graph* body = input.graph();
  const Node* loop = body->parent();
  if (loop == nullptr || input.kind() != Value::Kind::kInput) return nullptr;
  const std::size_t index = input.index();
  if (loop->Is("Loop")) return index >= 2 ? body->outputs()[index - 1].value() : nullptr;
  if (!loop->Is("Scan")) return nullptr;
  const auto slices = static_cast<std::size_t>(IntAttribute(*loop, "num_scan_inputs", 0));
  return index + slices < loop->num_operands() ? body->outputs()[index].value() : nullptr;
}

// The values of which `node` gives one as result `index`, moved.
std::vector<const Value*> ChoicesOf(const Node& node, std::size_t index) {
  std::vector<const Value*> choices;
  if (node.Is("If")) {
    for (const Graph* branch : node.subgraphs())
      choices.push_back(branch->outputs()[index].value());
  } else if (node.Is("Where")) {
    choices = {node.operand(1), node.operand(2)};
  } else if (OnlyMoves(node)) {
    choices = {node.operand(0)};
  }
  return choices;
}

// The cells of one graph.
class LoopCells {
 public:
  LoopCells(const Graph& graph, AffineForms& forms, const PassContext& context)
      : graph_(graph), forms_(forms), context_(context) {}

  std::vector<CellChain> Find(const std::vector<RecurrentCell>& cells) {
    std::vector<CellChain> chains;
    for (const RecurrentCell& cell : cells) {
      auto step = StepOf(cell);
      if (!step) continue;
      if (KnownBefore(*step)) return {};
      CellChain chain;
      chain.steps.push_back(std::move(*step));
      chain.breaks.emplace_back();
      chains.push_back(std::move(chain));
    }
    return chains;
  }

 private:
  std::optional<CellStep> StepOf(const RecurrentCell& cell) {
    if (cell.kind == Kind::kLstm && !PassesOn(cell.old_c.atom, cell.c, nullptr)) {
      return std::nullopt;
    }
    std::set<AtomId> candidates;
    for (const CellGate& gate : cell.gates) {
      for (const AffineTerm& term : gate.argument.terms) candidates.insert(term.atom);
    }
    for (const AtomId old_h : candidates) {
      if (cell.kind == Kind::kGru && old_h != cell.old_h.atom) continue;
      CellStep step = ReadStep(cell, old_h);
      CellStep* projected = cell.kind == Kind::kLstm ? &step : nullptr;
      if (PassesOn(old_h, cell.h, projected)) return step;
    }
    return std::nullopt;
  }

  // Whether `old` is a state of a loop and `fresh` what passes on, or its projection, which is then
  // entered in `step`.
  bool PassesOn(AtomId old, AtomId fresh, CellStep* step) {
    if (old == kNoAtom || !IsWhole(forms_.atom(old))) return false;
    const Value* next = NextIterationOf(*forms_.atom(old).value);
    if (next == nullptr) return false;
    std::vector<const Value*> open = {next};
    std::unordered_set<const Value*> seen = {next};
    for (std::size_t i = 0; i < open.size() && i < kMostValuesOfState; ++i) {
      const Value& value = *open[i];
      if (IsState(value, fresh, step)) return true;
      if (value.producer() == nullptr) continue;
      for (const Value* choice : ChoicesOf(*value.producer(), value.index())) {
        if (choice != nullptr && seen.insert(choice).second) open.push_back(choice);
      }
    }
    return false;
  }

  bool IsState(const Value& value, AtomId fresh, CellStep* step) {
    for (int axis = value.type().rank().value_or(0) - 1; axis >= 0; --axis) {
      const AffineForm* form = forms_.Wiring(&value, axis);
      if (form == nullptr || form->segments.size() != 1) continue;
      const AtomId atom = AffineForms::AsAtom(form->segments.front());
      if (atom == kNoAtom) continue;
      if (atom == fresh) return true;
      if (step == nullptr) continue;
      const CellProjection projection = ProjectionOf(atom, fresh, forms_);
      if (!projection) continue;
      step->projected = atom;
      step->weights.projection = projection;
      return true;
    }
    return false;
  }

  // Whether what `step` reads beside its states is known before the iterations of its loop begin.
  bool KnownBefore(const CellStep& step) {
    if (!follow_) {
      const auto view =
          graph_.parent() != nullptr ? ViewLoop(*graph_.parent(), context_) : std::nullopt;
      follow_.emplace(view ? FollowStates(*view, context_) : std::unordered_set<const Value*>());
      views_loop_ = view.has_value();
    }
    return views_loop_ && std::ranges::none_of(step.inputs, [&](AtomId input) {
             return follow_->contains(forms_.atom(input).value);
           });
  }

  const Graph& graph_;
  AffineForms& forms_;
  const PassContext& context_;
  // Values of the body that follow from states, once they are asked for.
  std::optional<std::unordered_set<const Value*>> follow_;
  bool views_loop_ = false;
};

}  // namespace

std::vector<CellChain> FindLoopCells(const Graph& graph, const std::vector<RecurrentCell>& cells,
                                     AffineForms& forms, const PassContext& context) {
  return LoopCells(graph, forms, context).Find(cells);
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/cell_chain.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/rewrite/recurrence/first_step.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

using Kind = RecurrentCell::Kind;

constexpr std::size_t kMaxNodesOfProjection = 5;  // a product, moves around it, bounds
constexpr std::string_view kOtherStructure = "structure";
constexpr std::string_view kMask = "mask";
constexpr std::size_t kInputGate = 0, kForgetGate = 2;  // among the peepholes

// What the nodes of the same graph that read `value` give.
std::vector<const Value*> ReadersOf(const Value& value) {
  std::vector<const Value*> results;
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    const Node* user = use->user();
    const Value* result = user != nullptr ? user->result() : nullptr;
    if (result != nullptr && result->graph() == value.graph()) results.push_back(result);
  }
  return results;
}

std::set<AtomId> AtomsOf(const RecurrentCell& cell) {
  std::set<AtomId> atoms;
  for (const CellGate& gate : cell.gates) {
    for (const AffineTerm& term : gate.argument.terms) atoms.insert(term.atom);
  }
  return atoms;
}

// Whether a projection may go on after `value`: moves around a product, and bounds. By name: what
// exporters put there.
bool MayProject(const Value& value) {
  constexpr std::string_view kTypes[] = {"Clip", "Conv",    "Gemm",    "MatMul",    "Max",
                                         "Min",  "Reshape", "Squeeze", "Transpose", "Unsqueeze"};
  const Node& node = *value.producer();
  return node.IsDragoman("Linear") ||
         std::ranges::any_of(kTypes, [&](std::string_view type) { return node.Is(type); });
}

// That projection of the hidden state `h` among what is computed from it.
std::vector<AtomId> FindProjected(AtomId h, const CellProjection& projection,
                                  WeightComparer& comparer, AffineForms& forms) {
  std::vector<const Value*> candidates = {forms.atom(h).value};
  std::size_t next = 0;
  for (std::size_t level = 0; level < kMaxNodesOfProjection; ++level) {
    for (const std::size_t end = candidates.size(); next < end; ++next) {
      if (next > 0 && !MayProject(*candidates[next])) continue;
      for (const Value* value : ReadersOf(*candidates[next])) candidates.push_back(value);
    }
  }
  std::vector<AtomId> found;
  for (const Value* value : candidates) {
    for (int axis = value->type().rank().value_or(0) - 1; axis >= 0; --axis) {
      const auto size = SizeAlong(*value, axis);
      if (!size) continue;
      const AtomId atom = forms.Intern({.value = value, .axis = axis, .size = *size});
      const CellProjection other = ProjectionOf(atom, h, forms);
      if (other && comparer.Same(other, projection)) found.push_back(atom);
    }
  }
  return found;
}

// What differs first between two forms that are not equal.
std::string NameDifference(const StepForm& a, const StepForm& b) {
  if (a.kind != b.kind || a.coupled != b.coupled || a.num_inputs != b.num_inputs ||
      a.linear_before_reset != b.linear_before_reset) {
    return std::string(kOtherStructure);
  }
  for (std::size_t gate = 0; gate < a.functions.size(); ++gate) {
    const std::string_view name = GateName(a.kind, gate);
    if (a.functions[gate] != b.functions[gate]) return fmt::format("{}-gate activation", name);
    bool same = a.weights.recurrent[gate] == b.weights.recurrent[gate];
    for (std::size_t i = 0; i < a.num_inputs; ++i) {
      same = same && a.weights.inputs[i][gate] == b.weights.inputs[i][gate];
    }
    if (!same) return fmt::format("{}-gate weight", name);
    if (a.weights.biases[gate] != b.weights.biases[gate]) return fmt::format("{}-gate bias", name);
  }
  if (a.output_function != b.output_function) return "output activation";
  if (a.cell_clip != b.cell_clip) return "bound of the cell state";
  if (a.weights.reset_bias != b.weights.reset_bias) return "hidden-gate bias";
  if (a.weights.peepholes.size() != b.weights.peepholes.size()) return "peepholes";
  for (std::size_t i = 0; i < a.weights.peepholes.size(); ++i) {
    if (a.weights.peepholes[i] == b.weights.peepholes[i]) continue;
    return fmt::format("{}-gate peephole", GateName(a.kind, i));
  }
  if (a.weights.projection != b.weights.projection) return "projection";
  if (a.masked != b.masked) return std::string(kMask);
  return a.masks_projection != b.masks_projection ? "projection" : std::string(kOtherStructure);
}

// Links cells one by one, in topological order.
class Linker {
 public:
  Linker(const std::vector<RecurrentCell>& cells, WeightComparer& comparer, AffineForms& forms)
      : cells_(cells), comparer_(comparer), forms_(forms), links_(cells.size()) {}

  void Link() {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      LinkCell(i);
      by_h_.emplace(cells_[i].h, i);
      if (cells_[i].kind == Kind::kLstm) by_c_.emplace(cells_[i].c, i);
    }
    LinkUnequal();
  }

  std::vector<CellChain> Chains() {
    std::vector<CellChain> chains;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (links_[i].before || !links_[i].after) continue;
      CellChain chain;
      if (auto first = MatchFirstStep(*links_[i].step, comparer_, forms_)) {
        chain.first = std::move(first->cell);
        chain.steps.push_back(std::move(first->step));
        chain.breaks.emplace_back();
      }
      for (std::optional<std::size_t> at = i; at; at = links_[*at].after) {
        chain.steps.push_back(std::move(*links_[*at].step));
        chain.breaks.emplace_back(links_[*at].reads_other_mask ? kMask : "");
      }
      CompleteSteps(chain);
      FindBreaks(chain);
      chains.push_back(std::move(chain));
    }
    return chains;
  }

 private:
  struct CellLink {
    std::optional<std::size_t> before;
    std::optional<std::size_t> after;
    std::optional<CellStep> step;
    bool reads_other_mask = false;  // a mask of the states before, which does not keep older ones
  };

  std::optional<std::size_t> Find(const std::unordered_map<AtomId, std::size_t>& map, AtomId atom,
                                  Kind kind) const {
    const auto found = map.find(atom);
    if (found == map.end() || cells_[found->second].kind != kind) return std::nullopt;
    return found->second;
  }

  void LinkCell(std::size_t i) {
    const RecurrentCell& cell = cells_[i];
    if (cell.kind == Kind::kLstm) {
      LinkLstm(i);
    } else if (cell.kind == Kind::kGru) {
      LinkByHidden(i, cell.old_h.atom, /*must_be_equal=*/false);
    } else {
      for (AtomId atom : AtomsOf(cell)) {
        if (LinkByHidden(i, atom, /*must_be_equal=*/true)) return;
      }
    }
  }

  // Any layer over a hidden state is an RNN's cell, so equal weights show which cells follow one
  // another. One that differs is linked to a run before it and to that after it.
  void LinkUnequal() {
    std::set<AtomId> begins;  // what the first cells of runs read
    for (const CellLink& link : links_) {
      if (link.step && link.step->cell->kind == Kind::kRnn && !link.before) {
        begins.insert(link.step->old_h);
      }
    }
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const CellLink& link = links_[i];
      if (cells_[i].kind != Kind::kRnn || link.before) continue;
      if (link.step) {
        LinkUnequal(i, link.step->old_h);
      } else if (begins.contains(cells_[i].h)) {
        for (AtomId atom : AtomsOf(cells_[i])) LinkUnequal(i, atom);
      }
    }
  }

  void LinkUnequal(std::size_t i, AtomId old_h) {
    const auto before = Find(by_h_, old_h, Kind::kRnn);
    if (!before || !links_[*before].step || links_[i].before) return;
    const CellStep step = ReadStep(cells_[i], old_h);
    if (comparer_.Difference(*links_[*before].step, step) == kOtherStructure) return;
    Join(*before, i, old_h, /*must_be_equal=*/false);
  }

  // `old_h` is what cell `i` reads of the one before.
  bool LinkByHidden(std::size_t i, AtomId old_h, bool must_be_equal) {
    const Kind kind = cells_[i].kind;
    const auto masked = ReadMasked(
        old_h, [&](AtomId id) { return Find(by_h_, id, kind).has_value(); }, forms_);
    const auto before = Find(by_h_, masked ? masked->fresh : old_h, kind);
    if (!before || !Join(*before, i, old_h, must_be_equal)) return false;
    if (masked) EnterMask(*before, old_h, *masked);
    return true;
  }

  void LinkLstm(std::size_t i) {
    const AtomId old_c = cells_[i].old_c.atom;
    const auto masked = ReadMasked(
        old_c, [&](AtomId id) { return Find(by_c_, id, Kind::kLstm).has_value(); }, forms_);
    const auto before = Find(by_c_, masked ? masked->fresh : old_c, Kind::kLstm);
    if (!before) return;
    for (AtomId atom : AtomsOf(cells_[i])) {
      if (masked ? LinkMasked(*before, i, atom, *masked) : LinkPlain(*before, i, atom)) return;
    }
  }

  bool LinkPlain(std::size_t before, std::size_t i, AtomId old_h) {
    const AtomId h = cells_[before].h;
    const CellProjection projection =
        old_h != h ? ProjectionOf(old_h, h, forms_) : CellProjection();
    if (old_h != h && !projection) return false;
    if (!Join(before, i, old_h, /*must_be_equal=*/false)) return false;
    if (projection) EnterProjection(before, old_h, projection);
    return true;
  }

  bool LinkMasked(std::size_t before, std::size_t i, AtomId old_h, const MaskedState& c) {
    const AtomId fresh = cells_[before].h;
    const auto h = ReadMasked(
        old_h, [&](AtomId id) { return id == fresh || ProjectionOf(id, fresh, forms_); }, forms_);
    if (!h || h->mask != c.mask) return false;
    if (!Join(before, i, old_h, /*must_be_equal=*/false)) return false;
    if (h->fresh != fresh) {
      EnterProjection(before, h->fresh, ProjectionOf(h->fresh, fresh, forms_));
    }
    if (!Keeps(c, links_[before].step->old_c)) {
      links_[i].reads_other_mask = true;
      return true;
    }
    EnterMask(before, old_h, *h);
    CellStep& step = *links_[before].step;
    if (step.masked()) step.carried_c = cells_[i].old_c.atom;
    return true;
  }

  // What does not keep the old state is not a mask of the cell, but something else that reads it.
  void EnterMask(std::size_t before, AtomId carried, const MaskedState& masked) {
    CellStep& step = *links_[before].step;
    if (!Keeps(masked, {step.old_h, kNoConst})) {
      links_[*links_[before].after].reads_other_mask = true;
      return;
    }
    step.mask = masked.mask;
    step.carried_h = carried;
  }

  // Whether what a mask keeps is that old state.
  bool Keeps(const MaskedState& masked, const CellState& old) {
    return masked.kept != kNoAtom ? masked.kept == old.atom : IsZeroState(old);
  }

  bool IsZeroState(const CellState& state) {
    if (state.atom != kNoAtom) return IsZero(forms_.atom(state.atom).value);
    return state.constant == kNoConst || comparer_.IsZero(state.constant);
  }

  void EnterProjection(std::size_t i, AtomId projected, const CellProjection& projection) {
    CellStep& step = *links_[i].step;
    step.projected = projected;
    step.weights.projection = projection;
  }

  // A step says what the next one reads of it. Where none does, it is looked for as the step
  // before has it.
  void CompleteSteps(CellChain& chain) {
    for (std::size_t i = 1; i < chain.steps.size(); ++i) {
      const bool is_read = i + 1 < chain.steps.size() && chain.breaks[i + 1].empty();
      if (is_read) continue;
      FindLastProjection(chain.steps[i - 1].weights.projection, chain.steps[i]);
      if (chain.steps[i - 1].masked()) FindLastMask(chain.steps[i]);
    }
    for (CellStep& step : chain.steps) {
      if (step.masked()) {
        step.zeroed_h = FindZeroed(step.given(), step.carried_h, step.mask, forms_);
      }
    }
  }

  void FindBreaks(CellChain& chain) {
    for (std::size_t i = 1; i < chain.steps.size(); ++i) {
      if (!chain.breaks[i].empty()) continue;
      chain.breaks[i] = comparer_.Difference(chain.steps[i - 1], chain.steps[i]);
    }
  }

  void FindLastMask(CellStep& step) {
    for (AtomId id : FindMasked(step.given(), forms_)) {
      const MaskedState masked = *ReadMasked(id, step.given(), forms_);
      const bool keeps = Keeps(masked, {step.old_h, kNoConst});
      if (!keeps && step.carried_h != kNoAtom) continue;
      step.mask = masked.mask;
      if (keeps) step.carried_h = id;
    }
    if (!step.masked() || step.cell->c == kNoAtom) return;
    for (AtomId id : FindMasked(step.cell->c, forms_)) {
      const MaskedState masked = *ReadMasked(id, step.cell->c, forms_);
      if (masked.mask == step.mask && Keeps(masked, step.old_c)) step.carried_c = id;
    }
  }

  void FindLastProjection(const CellProjection& projection, CellStep& step) {
    if (!projection || step.weights.projection) return;
    const std::vector<AtomId> found = FindProjected(step.cell->h, projection, comparer_, forms_);
    // An operator that projects by itself gives nothing else of the hidden state.
    if (found.empty() && (projection.clip != 0 || step.cell->cell_clip != 0)) return;
    step.weights.projection = projection;
    if (found.empty()) return;
    // Where there are masks, what they are applied to.
    const auto masked =
        std::ranges::find_if(found, [&](AtomId id) { return !FindMasked(id, forms_).empty(); });
    step.projected = masked != found.end() ? *masked : found.front();
  }

  // Whether cell `i` with the old state `old_h` follows cell `before`.
  bool Join(std::size_t before, std::size_t i, AtomId old_h, bool must_be_equal) {
    if (links_[before].after || cells_[before].hidden != cells_[i].hidden) return false;
    if (!AtomsOf(cells_[i]).contains(old_h)) return false;
    CellStep step = ReadStep(cells_[i], old_h);
    const std::string difference = FitStepBefore(before, step);
    if (!difference.empty() && must_be_equal) return false;
    if (!links_[before].step) return false;
    links_[before].after = i;
    links_[i].before = before;
    // What begins a run knows its mask and projection by the step after it.
    if (!links_[i].step) links_[i].step = std::move(step);
    return true;
  }

  // Peepholes that read zeros, which exporters fold away, are those of the next step.
  void AdoptPeepholes(CellStep& first, const CellStep& next) {
    const std::vector<ConstId>& others = next.weights.peepholes;
    if (others.empty() || first.cell->kind != Kind::kLstm || !IsZeroState(first.old_c)) return;
    std::vector<ConstId>& own = first.weights.peepholes;
    own.resize(others.size(), kNoConst);
    for (std::size_t gate : {kInputGate, kForgetGate}) {
      if (own[gate] == kNoConst) own[gate] = others[gate];
    }
  }

  // Separates the operands of the first cell of a run such that it equals the second, `step`.
  std::string FitStepBefore(std::size_t before, const CellStep& step) {
    CellLink& link = links_[before];
    if (link.step) return comparer_.Difference(*link.step, step);
    const RecurrentCell& cell = cells_[before];
    std::string difference(kOtherStructure);
    for (AtomId atom : AtomsOf(cell)) {
      if (cell.old_h.atom != kNoAtom && cell.old_h.atom != atom) continue;
      CellStep first = ReadStep(cell, atom);
      AdoptPeepholes(first, step);
      std::string found = comparer_.Difference(first, step);
      if (!found.empty() && cell.old_h.atom == kNoAtom) {
        if (difference == kOtherStructure) difference = std::move(found);
        continue;
      }
      link.step = std::move(first);
      return found;
    }
    return difference;
  }

  const std::vector<RecurrentCell>& cells_;
  WeightComparer& comparer_;
  AffineForms& forms_;
  std::vector<CellLink> links_;
  std::unordered_map<AtomId, std::size_t> by_h_;
  std::unordered_map<AtomId, std::size_t> by_c_;
};

}  // namespace

CellStep ReadStep(const RecurrentCell& cell, AtomId old_h) {
  CellStep step;
  step.cell = &cell;
  step.old_h = old_h;
  step.old_c = cell.old_c;
  step.weights.peepholes = cell.peepholes;
  step.weights.reset_bias = cell.reset_bias;
  step.weights.recurrent.assign(cell.gates.size(), kNoConst);
  std::map<AtomId, std::vector<ConstId>> inputs;
  for (std::size_t gate = 0; gate < cell.gates.size(); ++gate) {
    const AffineSegment& argument = cell.gates[gate].argument;
    step.weights.biases.push_back(argument.bias);
    // What a GRU's candidate reads of the old state beside the reset has no place in the operator.
    const bool is_candidate = cell.kind == Kind::kGru && gate == 2;
    for (const AffineTerm& term : argument.terms) {
      if (term.atom == old_h && !is_candidate) {
        step.weights.recurrent[gate] = term.coefficient;
        continue;
      }
      auto [weights, is_new] = inputs.try_emplace(term.atom, cell.gates.size(), kNoConst);
      weights->second[gate] = term.coefficient;
    }
  }
  if (cell.kind == Kind::kGru) step.weights.recurrent[2] = cell.reset_matrix;
  std::vector<std::pair<std::vector<ConstId>, AtomId>> sorted;
  for (auto& [atom, weights] : inputs) sorted.emplace_back(std::move(weights), atom);
  std::sort(sorted.begin(), sorted.end());
  for (auto& [weights, atom] : sorted) {
    step.inputs.push_back(atom);
    step.weights.inputs.push_back(std::move(weights));
  }
  return step;
}

ConstId WeightComparer::Canonical(ConstId id) {
  if (id == kNoConst) return id;
  const auto [found, is_new] = canonical_.try_emplace(id, id);
  if (!is_new) return found->second;
  const Result<Tensor> tensor = evaluator_.Evaluate(id);
  if (!tensor.ok()) return id;
  if (IsZeroTensor(*tensor)) return canonical_[id] = kNoConst;
  std::vector<ConstId>& same = by_hash_[tensor->Hash()];
  for (ConstId other : same) {
    const Result<Tensor> known = evaluator_.Evaluate(other);
    if (known.ok() && *known == *tensor) return canonical_[id] = other;
  }
  same.push_back(id);
  return id;
}

bool WeightComparer::Same(ConstId a, ConstId b) { return a == b || Canonical(a) == Canonical(b); }

StepForm WeightComparer::FormOf(const CellStep& step) {
  const RecurrentCell& cell = *step.cell;
  StepForm form{.kind = cell.kind,
                .hidden = cell.hidden,
                .coupled = cell.coupled,
                .linear_before_reset = cell.linear_before_reset,
                .uniform = cell.uniform,
                .num_inputs = step.inputs.size(),
                .functions = {},
                .output_function = cell.output_function,
                .cell_clip = cell.cell_clip,
                .weights = step.weights,
                .masked = step.masked(),
                .masks_projection = step.masked() && step.projected != kNoAtom};
  for (const CellGate& gate : cell.gates) form.functions.push_back(gate.function);
  const auto canonical = [&](std::vector<ConstId>& ids) {
    for (ConstId& id : ids) id = Canonical(id);
  };
  CellWeights& weights = form.weights;
  for (std::vector<ConstId>& input : weights.inputs) canonical(input);
  canonical(weights.recurrent);
  canonical(weights.biases);
  canonical(weights.peepholes);
  weights.reset_bias = Canonical(weights.reset_bias);
  weights.projection.matrix = Canonical(weights.projection.matrix);
  return form;
}

std::string WeightComparer::Difference(const CellStep& a, const CellStep& b) {
  const StepForm x = FormOf(a);
  const StepForm y = FormOf(b);
  return x == y ? std::string() : NameDifference(x, y);
}

std::vector<CellChain> LinkCells(const std::vector<RecurrentCell>& cells, WeightComparer& comparer,
                                 AffineForms& forms) {
  Linker linker(cells, comparer, forms);
  linker.Link();
  return linker.Chains();
}

}  // namespace dragoman

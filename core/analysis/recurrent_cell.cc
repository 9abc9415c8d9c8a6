// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/recurrent_cell.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/analysis/cell_algebra.h"

namespace dragoman {
namespace {

using CellKind = RecurrentCell::Kind;
using TermKind = AffineTerm::Kind;

// What may yield the state of a GRU. By name: a GRU's interpolation is spelled by these.
constexpr std::string_view kStates[] = {"Add", "Sub", "Sum", "Where"};

// The operand of `node` as one atom of all its features.
AtomId OperandAtom(const Node& node, std::size_t i, int axis, AffineForms& forms) {
  const Value* operand = node.operand(i);
  if (operand == nullptr || operand->type().rank() != node.result()->type().rank()) return kNoAtom;
  const AffineForm* form = forms.Of(operand, axis);
  if (form == nullptr || form->segments.size() != 1) return kNoAtom;
  return AffineForms::AsAtom(form->segments.front());
}

AtomId ResultAtom(const Node& node, int axis, AffineForms& forms) {
  const auto size = SizeAlong(*node.result(), axis);
  if (!size || *size < 1) return kNoAtom;
  return forms.Intern({.value = node.result(), .axis = axis, .size = *size});
}

class LstmMatcher {
 public:
  LstmMatcher(Node& node, int axis, AffineForms& forms) : forms_(forms) {
    cell_.kind = CellKind::kLstm;
    cell_.node = &node;
    cell_.h = ResultAtom(node, axis, forms);
    if (cell_.h != kNoAtom) cell_.hidden = forms.atom(cell_.h).size;
  }

  // h = o * function(c), for the factors `output` and `state` of a product.
  bool Match(AtomId output, AtomId state) {
    const auto o = AsActivation(output, forms_);
    if (!o) return false;
    gates_[1] = *o;
    const AtomId unclipped = ReadOutput(state);
    const auto sum = unclipped != kNoAtom ? ExpandState(unclipped, forms_) : std::nullopt;
    return sum && MatchState(*sum) && Finish();
  }
  RecurrentCell& cell() { return cell_; }

 private:
  // Gives the new cell state before it is clipped.
  AtomId ReadOutput(AtomId state) {
    cell_.output_function = {"Affine", 1.0f, 0.0f};
    cell_.c = state;
    if (const auto function = AsPlainActivation(state, forms_)) {
      cell_.output_function = function->function;
      cell_.c = AffineForms::AsAtom(function->argument);
    }
    const auto clipped = ReadClipped(cell_.c, forms_);
    if (!clipped) return cell_.c;
    cell_.cell_clip = clipped->bound;
    return AffineForms::AsAtom(clipped->x);
  }

  // c = f * old + i * g; or with f = 1 - i, or i = 1 - f.
  bool MatchState(const Polynomial& sum) {
    if (sum.size() == 2) return MatchTwoGates(sum[0], sum[1]) || MatchTwoGates(sum[1], sum[0]);
    return sum.size() == 3 && MatchCoupled(sum);
  }

  bool SameAsOutput(const std::optional<CellGate>& gate) const {
    return gate && gate->function == gates_[1].function;
  }

  bool MatchTwoGates(const Monomial& kept, const Monomial& added) {
    if (added.factors.size() != 2 || added.scale != 1 || added.constant != kNoConst) return false;
    if (!ReadKept(kept)) return false;
    return ReadAdded(added.factors[0], added.factors[1]);
  }

  // f * old, where old may be constant.
  bool ReadKept(const Monomial& kept) {
    if (kept.factors.size() == 1) {
      const auto f = AsActivation(kept.factors[0], forms_);
      if (!f) return false;
      gates_[2] = *f;
      cell_.old_c = {kNoAtom, ConstantFactor(kept, cell_.hidden, forms_.consts())};
      return true;
    }
    if (kept.factors.size() != 2 || kept.scale != 1 || kept.constant != kNoConst) return false;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto f = AsActivation(kept.factors[i], forms_);
      const auto other = AsActivation(kept.factors[1 - i], forms_);
      if (!f || (other && !(SameAsOutput(f) && !SameAsOutput(other)))) continue;
      gates_[2] = *f;
      cell_.old_c = {kept.factors[1 - i], kNoConst};
      return true;
    }
    return false;
  }

  // i * g. Which is which shows in the function of the other gates; where both or none have it, the
  // order of weights decides, so that all steps are read in the same way.
  bool ReadAdded(AtomId a, AtomId b) {
    const auto first = AsActivation(a, forms_);
    const auto second = AsActivation(b, forms_);
    if (!first || !second) return false;
    const bool first_fits = SameAsOutput(first);
    const bool second_fits = SameAsOutput(second);
    const bool swap =
        first_fits == second_fits ? CoefficientOf(*second) < CoefficientOf(*first) : second_fits;
    gates_[0] = swap ? *second : *first;
    gates_[3] = swap ? *first : *second;
    return true;
  }

  static ConstId CoefficientOf(const CellGate& gate) {
    return gate.argument.terms.empty() ? kNoConst : gate.argument.terms.front().coefficient;
  }

  bool MatchCoupled(const Polynomial& sum) {
    for (const Monomial& single : sum) {
      if (single.factors.size() != 1 || single.scale != 1 || single.constant != kNoConst) continue;
      for (const Monomial& lost : sum) {
        if (lost.factors.size() != 2 || lost.scale != -1) continue;
        const bool first = lost.factors[0] == single.factors[0];
        if (!first && lost.factors[1] != single.factors[0]) continue;
        if (MatchCoupledBy(sum, single.factors[0], lost.factors[first ? 1 : 0])) return true;
      }
    }
    return false;
  }

  // s - gate * s + gate * t
  bool MatchCoupledBy(const Polynomial& sum, AtomId s, AtomId gate_atom) {
    const auto gate = AsActivation(gate_atom, forms_);
    if (!gate) return false;
    for (const Monomial& added : sum) {
      if (added.factors.size() != 2 || added.scale != 1 || added.constant != kNoConst) continue;
      const bool first = added.factors[0] == gate_atom;
      if (!first && added.factors[1] != gate_atom) continue;
      const AtomId t = added.factors[first ? 1 : 0];
      const auto candidate_t = AsActivation(t, forms_);
      const auto candidate_s = AsActivation(s, forms_);
      if (!candidate_t == !candidate_s) return false;
      const auto i = candidate_t ? gate : Complement(*gate, forms_);
      if (!i) return false;
      cell_.coupled = true;
      gates_[0] = *i;
      gates_[3] = candidate_t ? *candidate_t : *candidate_s;
      cell_.old_c = {candidate_t ? s : t, kNoConst};
      return true;
    }
    return false;
  }

  bool Finish() {
    cell_.peepholes.assign(3, kNoConst);
    const std::array<AtomId, 3> states = {cell_.old_c.atom, cell_.c, cell_.old_c.atom};
    for (std::size_t gate = 0; gate < 3; ++gate) {
      if (gate == 2 && cell_.coupled) continue;
      if (!TakePeephole(gates_[gate], states[gate], forms_.consts(), cell_.peepholes[gate])) {
        return false;
      }
    }
    gates_[3].argument = AsDense(gates_[3].argument, forms_.consts());
    if (!IsDense(gates_[3].argument)) return false;
    const CellFunction& function = gates_[1].function;
    cell_.uniform = gates_[0].function == function &&
                    (cell_.coupled || gates_[2].function == function) &&
                    gates_[3].function.clip == function.clip;
    if (cell_.peepholes == std::vector<ConstId>(3, kNoConst)) cell_.peepholes.clear();
    cell_.gates.assign(gates_.begin(), gates_.end());
    return true;
  }

  AffineForms& forms_;
  RecurrentCell cell_;
  std::array<CellGate, 4> gates_;  // i, o, f, c
};

class GruMatcher {
 public:
  GruMatcher(Node& node, int axis, AffineForms& forms) : forms_(forms) {
    cell_.kind = CellKind::kGru;
    cell_.node = &node;
    cell_.h = ResultAtom(node, axis, forms);
    if (cell_.h != kNoAtom) cell_.hidden = forms.atom(cell_.h).size;
  }

  bool Match() {
    if (cell_.h == kNoAtom) return false;
    auto sum = ExpandState(cell_.h, forms_);
    if (sum && sum->size() == 2) sum = WithComplement(*sum);
    if (!sum || sum->size() != 3) return false;
    for (const Monomial& single : *sum) {
      if (single.factors.size() == 1 && single.scale == 1 && single.constant == kNoConst &&
          MatchAround(*sum, single.factors[0])) {
        return true;
      }
    }
    return false;
  }
  RecurrentCell& cell() { return cell_; }

 private:
  // y * s + z * t with y = 1 - z, written as a gate of its own, as s - z * s + z * t.
  std::optional<Polynomial> WithComplement(const Polynomial& sum) {
    for (const Monomial& monomial : sum) {
      if (monomial.factors.size() != 2 || monomial.scale != 1 || monomial.constant != kNoConst) {
        return std::nullopt;
      }
    }
    for (const std::size_t i : {0, 1, 2, 3}) {
      const AtomId y = sum[0].factors[i / 2], s = sum[0].factors[1 - i / 2];
      const AtomId z = sum[1].factors[i % 2], t = sum[1].factors[1 - i % 2];
      const auto gate = AsActivation(z, forms_);
      const auto other = AsActivation(y, forms_);
      const auto complement = gate && other ? Complement(*gate, forms_) : std::nullopt;
      if (!complement || complement->function != other->function ||
          complement->argument != other->argument) {
        continue;
      }
      const auto sorted = [](AtomId a, AtomId b) {
        return std::vector<AtomId>{std::min(a, b), std::max(a, b)};
      };
      return Polynomial{{1, {s}}, {-1, sorted(z, s)}, {1, sorted(z, t)}};
    }
    return std::nullopt;
  }

  // s - z * s + z * t, where one of s and t is the candidate and the other the old state.
  bool MatchAround(const Polynomial& sum, AtomId s) {
    for (const Monomial& lost : sum) {
      if (lost.factors.size() != 2 || lost.scale != -1 || lost.constant != kNoConst) continue;
      const bool first = lost.factors[0] == s;
      if (!first && lost.factors[1] != s) continue;
      const AtomId gate = lost.factors[first ? 1 : 0];
      for (const Monomial& added : sum) {
        if (&added != &lost && MatchGates(s, gate, added)) return true;
      }
    }
    return false;
  }

  bool MatchGates(AtomId s, AtomId gate, const Monomial& added) {
    auto z = AsActivation(gate, forms_);
    if (!z) return false;
    z->argument = AsDense(z->argument, forms_.consts());
    if (added.factors == std::vector<AtomId>{gate}) {
      // The old state is constant, so s is the candidate.
      cell_.old_h = {kNoAtom, ConstantFactor(added, cell_.hidden, forms_.consts())};
      return MatchCandidate(s, *z);
    }
    if (added.factors.size() != 2 || added.scale != 1 || added.constant != kNoConst) return false;
    const bool first = added.factors[0] == gate;
    if (!first && added.factors[1] != gate) return false;
    const AtomId t = added.factors[first ? 1 : 0];
    if (ReadsDensely(z->argument, t)) {
      cell_.old_h = {t, kNoConst};
      return MatchCandidate(s, *z);
    }
    if (!ReadsDensely(z->argument, s)) return false;
    cell_.old_h = {s, kNoConst};
    const auto complement = Complement(*z, forms_);
    return complement && MatchCandidate(t, *complement);
  }

  bool MatchCandidate(AtomId candidate, const CellGate& z) {
    auto n = AsActivation(candidate, forms_);
    if (!n) return false;
    n->argument = ExpandSums(n->argument, forms_);
    AffineSegment inputs{n->argument.size, {}, n->argument.bias};
    std::optional<CellGate> r;
    for (const AffineTerm& term : n->argument.terms) {
      auto reset = term.kind == TermKind::kMatrix ? ReadResetState(term) : ReadResetProduct(term);
      if (reset && r) return false;
      if (reset) {
        r = std::move(reset);
      } else {
        inputs.terms.push_back(term);
      }
    }
    if (!r) return false;
    inputs = AsDense(std::move(inputs), forms_.consts());
    r->argument = AsDense(r->argument, forms_.consts());
    cell_.uniform = r->function == z.function && n->function.clip == z.function.clip;
    n->argument = std::move(inputs);
    cell_.gates = {z, *r, *n};
    return true;
  }

  bool IsOldState(const AffineSegment& segment) {
    if (cell_.old_h.atom != kNoAtom) return AffineForms::AsAtom(segment) == cell_.old_h.atom;
    if (!segment.terms.empty()) return false;
    const auto expected = forms_.consts().Uniform(cell_.old_h.constant);
    return segment.bias == cell_.old_h.constant ||
           (segment.bias != kNoConst && expected &&
            forms_.consts().Uniform(segment.bias) == expected);
  }

  // M * (r * old): gives r.
  std::optional<CellGate> ReadResetState(const AffineTerm& term) {
    const auto factors = FactorsOf(term.atom, forms_);
    if (!factors) return std::nullopt;
    const bool old_first = IsOldState(factors->a);
    if (!old_first && !IsOldState(factors->b)) return std::nullopt;
    const AtomId gate = AffineForms::AsAtom(old_first ? factors->b : factors->a);
    if (gate == kNoAtom) return std::nullopt;
    auto r = AsActivation(gate, forms_);
    if (r) cell_.reset_matrix = term.coefficient;
    cell_.linear_before_reset = false;
    return r;
  }

  // r * (M * old + b): gives r.
  std::optional<CellGate> ReadResetProduct(const AffineTerm& term) {
    if (term.kind != TermKind::kScalar || term.scale != 1) return std::nullopt;
    const auto factors = FactorsOf(term.atom, forms_);
    if (!factors) return std::nullopt;
    const bool gate_first = AffineForms::AsAtom(factors->a) != kNoAtom;
    const AtomId gate = AffineForms::AsAtom(gate_first ? factors->a : factors->b);
    const AffineSegment& product = gate_first ? factors->b : factors->a;
    if (gate == kNoAtom || product.terms.size() != 1 || !IsDense(product)) return std::nullopt;
    const AtomId old = product.terms.front().atom;
    if (cell_.old_h.atom != kNoAtom && old != cell_.old_h.atom) return std::nullopt;
    auto r = AsActivation(gate, forms_);
    if (!r) return std::nullopt;
    cell_.reset_matrix = product.terms.front().coefficient;
    cell_.reset_bias = product.bias;
    cell_.linear_before_reset = true;
    return r;
  }

  AffineForms& forms_;
  RecurrentCell cell_;
};

}  // namespace

bool HasBeta(const CellFunction& function) {
  return function.name == "HardSigmoid" || function.name == "Affine";
}

bool HasAlpha(const CellFunction& function) {
  return HasBeta(function) || function.name == "LeakyRelu" || function.name == "Elu" ||
         function.name == "ThresholdedRelu";
}

std::string_view Name(RecurrentCell::Kind kind) {
  // By name: the enumerators, in their order.
  constexpr std::string_view kNames[] = {"LSTM", "GRU", "RNN"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view GateName(CellKind kind, std::size_t gate) {
  constexpr std::array<std::string_view, 4> kLstm = {"input", "output", "forget", "cell"};
  constexpr std::array<std::string_view, 3> kGru = {"update", "reset", "hidden"};
  if (kind == CellKind::kLstm) return kLstm[gate];
  return kind == CellKind::kGru ? kGru[gate] : "hidden";
}

std::optional<RecurrentCell> MatchLstm(Node& node, int axis, AffineForms& forms) {
  if (!node.Is("Mul")) return std::nullopt;
  const AtomId a = OperandAtom(node, 0, axis, forms);
  const AtomId b = OperandAtom(node, 1, axis, forms);
  if (a == kNoAtom || b == kNoAtom) return std::nullopt;
  for (const auto& [output, state] : {std::pair(a, b), std::pair(b, a)}) {
    LstmMatcher matcher(node, axis, forms);
    if (matcher.cell().h != kNoAtom && matcher.Match(output, state)) {
      return std::move(matcher.cell());
    }
  }
  return std::nullopt;
}

std::optional<RecurrentCell> MatchGru(Node& node, int axis, AffineForms& forms) {
  const bool may_be_state =
      std::ranges::any_of(kStates, [&](std::string_view type) { return node.Is(type); });
  if (!may_be_state) return std::nullopt;
  GruMatcher matcher(node, axis, forms);
  if (!matcher.Match()) return std::nullopt;
  return std::move(matcher.cell());
}

std::optional<RecurrentCell> MatchRnn(Node& node, int axis, AffineForms& forms) {
  if (node.result() == nullptr) return std::nullopt;
  const AtomId h = ResultAtom(node, axis, forms);
  if (h == kNoAtom) return std::nullopt;
  auto gate = AsActivation(h, forms);
  if (!gate || gate->argument.terms.size() < 2) return std::nullopt;
  const bool any_dense =
      std::any_of(gate->argument.terms.begin(), gate->argument.terms.end(),
                  [](const AffineTerm& term) { return term.kind == TermKind::kMatrix; });
  if (!any_dense) return std::nullopt;
  gate->argument = AsDense(gate->argument, forms.consts());
  RecurrentCell cell;
  cell.kind = CellKind::kRnn;
  cell.node = &node;
  cell.hidden = forms.atom(h).size;
  cell.h = h;
  cell.gates = {*gate};
  return cell;
}

CellProjection ProjectionOf(AtomId id, AtomId h, AffineForms& forms) {
  const Atom atom = forms.atom(id);
  const bool is_whole =
      atom.step_axis < 0 && atom.begin == 0 && SizeAlong(*atom.value, atom.axis) == atom.size;
  const AffineForm* form = is_whole ? forms.Of(atom.value, atom.axis) : nullptr;
  if (form == nullptr || form->segments.size() != 1) return {};
  AffineSegment segment = form->segments.front();
  const auto clipped = ReadClipped(AffineForms::AsAtom(segment), forms);
  if (clipped) segment = clipped->x;
  if (segment.terms.size() != 1 || segment.bias != kNoConst) return {};
  const AffineTerm& term = segment.terms.front();
  const bool is_itself = clipped && AffineForms::AsAtom(segment) == h;
  if (term.atom != h || (term.kind != TermKind::kMatrix && !is_itself)) return {};
  return {term.coefficient, clipped ? clipped->bound : 0.0f};
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/first_step.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/analysis/cell_algebra.h"
#include "core/rewrite/recurrence/sequence_steps.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

using Kind = RecurrentCell::Kind;
using TermKind = AffineTerm::Kind;

class FirstMatcher {
 public:
  FirstMatcher(const CellStep& second, WeightComparer& comparer, AffineForms& forms)
      : second_(second),
        weights_(second.weights),
        comparer_(comparer),
        forms_(forms),
        inputs_(second.inputs.size(), kNoAtom) {}

  std::optional<FirstStep> Match() {
    if (second_.old_h == kNoAtom || !ReadMasks() || !ReadHidden()) return std::nullopt;
    const Kind kind = second_.cell->kind;
    const bool fits = kind == Kind::kLstm  ? MatchLstm()
                      : kind == Kind::kGru ? MatchGru()
                                           : MatchRnn();
    if (!fits || std::ranges::count(inputs_, kNoAtom) > 0) return std::nullopt;
    if (!IsBesideSecond(h_) || (c_ != kNoAtom && !IsBesideSecond(c_))) return std::nullopt;
    const Node* node = forms_.atom(h_).value->producer();
    FirstStep first{std::make_unique<RecurrentCell>(*second_.cell), second_};
    first.cell->node = Mutable(*node->result())->producer();
    first.cell->h = h_;
    first.cell->c = c_;
    first.cell->old_c = {};
    first.cell->old_h = {};
    for (CellGate& gate : first.cell->gates) gate.value = kNoAtom;
    first.step.cell = first.cell.get();
    first.step.old_h = kNoAtom;
    first.step.old_c = {};
    first.step.inputs = inputs_;
    first.step.projected = h_ != given_ ? given_ : kNoAtom;
    first.step.mask = mask_;
    first.step.carried_h = mask_.mask != nullptr ? second_.old_h : kNoAtom;
    first.step.carried_c = mask_.mask != nullptr ? second_.old_c.atom : kNoAtom;
    return first;
  }

 private:
  // What the first cell gives, where a mask keeps zeros else. False if it is not a mask of both
  // states.
  bool ReadMasks() {
    const auto is_fresh = [&](AtomId id) { return !IsZero(forms_.atom(id).value); };
    const auto read = [&](AtomId id, AtomId& state) {
      const auto masked = ReadMasked(id, is_fresh, forms_);
      const bool keeps_zeros = masked && masked->kept == kNoAtom;
      state = keeps_zeros ? masked->fresh : id;
      return keeps_zeros ? masked->mask : StepMask();
    };
    mask_ = read(second_.old_h, given_);
    return second_.old_c.atom == kNoAtom || read(second_.old_c.atom, c_) == mask_;
  }

  // What it gives before any projection.
  bool ReadHidden() {
    h_ = given_;
    if (weights_.projection) {
      const Atom& atom = forms_.atom(h_);
      const AffineForm* form = atom.step_axis < 0 ? forms_.Of(atom.value, atom.axis) : nullptr;
      if (form == nullptr || form->segments.size() != 1) return false;
      const AffineSegment& whole = form->segments.front();
      const auto clipped = ReadClipped(AffineForms::AsAtom(whole), forms_);
      const AffineSegment& segment = clipped ? clipped->x : whole;
      if (segment.terms.size() != 1) return false;
      h_ = segment.terms.front().atom;
      if (!comparer_.Same(ProjectionOf(given_, h_, forms_), weights_.projection)) {
        return false;
      }
    }
    const Atom& atom = forms_.atom(h_);
    return atom.step_axis < 0 && atom.begin == 0 && atom.value->producer() != nullptr &&
           SizeAlong(*atom.value, atom.axis) == atom.size;
  }

  // Whether it is computed in the graph of the second cell, not in one around that.
  bool IsBesideSecond(AtomId id) const {
    return forms_.atom(id).value->graph() == second_.cell->node->graph();
  }

  // h = o * function(c), c = i * g
  bool MatchLstm() {
    const AtomId unclipped = Unclipped(c_);
    const auto outer = c_ != kNoAtom ? FactorsOf(h_, forms_) : std::nullopt;
    const auto inner = unclipped != kNoAtom ? OnlyProduct(unclipped) : std::nullopt;
    if (!outer || !inner) return false;
    const auto either = [](AtomId a, AtomId b, auto&& fits) {
      return a != kNoAtom && b != kNoAtom && (fits(a, b) || fits(b, a));
    };
    return either(AffineForms::AsAtom(outer->a), AffineForms::AsAtom(outer->b),
                  [&](AtomId o, AtomId state) { return IsOutput(state) && IsGate(o, 1, c_); }) &&
           either(inner->front(), inner->back(),
                  [&](AtomId i, AtomId g) { return IsGate(i, 0) && IsGate(g, 3); });
  }

  // The two factors of `id`, beside which there may be a product with zeros.
  std::optional<std::vector<AtomId>> OnlyProduct(AtomId id) {
    const auto sum = ExpandWithoutZeros(id);
    const bool is_one = sum && sum->size() == 1 && sum->front().factors.size() == 2 &&
                        sum->front().scale == 1 && sum->front().constant == kNoConst;
    return is_one ? std::optional(sum->front().factors) : std::nullopt;
  }

  std::optional<Polynomial> ExpandWithoutZeros(AtomId id) {
    auto sum = ExpandState(id, forms_);
    if (!sum) return sum;
    std::erase_if(*sum, [&](const Monomial& monomial) {
      return IsZeros(monomial.constant) ||
             std::ranges::any_of(monomial.factors,
                                 [&](AtomId factor) { return IsZero(forms_.atom(factor).value); });
    });
    return sum;
  }

  bool IsZeros(ConstId constant) { return constant != kNoConst && comparer_.IsZero(constant); }

  // Whether a term is zero: that of zeros, or of a product of something with zeros.
  bool IsZeroTerm(const AffineTerm& term) {
    if (term.kind == TermKind::kScalar ? term.scale == 0 : IsZeros(term.coefficient)) return true;
    const Atom& atom = forms_.atom(term.atom);
    const Node* node = atom.step_axis < 0 ? atom.value->producer() : nullptr;
    return IsZero(atom.value) || (node != nullptr && node->Is("Mul") &&
                                  (IsZero(node->operand(0)) || IsZero(node->operand(1))));
  }

  void EraseZeroTerms(AffineSegment& segment) {
    std::erase_if(segment.terms, [&](const AffineTerm& term) { return IsZeroTerm(term); });
  }

  // `id` as an activation function, without the terms that are zero.
  std::optional<CellGate> ReadGate(AtomId id) {
    auto gate = AsActivation(id, forms_);
    if (!gate) return gate;
    gate->argument = ExpandSums(std::move(gate->argument), forms_);
    EraseZeroTerms(gate->argument);
    return gate;
  }

  // The cell state before it is clipped as the second cell's is, or kNoAtom.
  AtomId Unclipped(AtomId c) {
    const float bound = second_.cell->cell_clip;
    if (bound == 0) return c;
    const auto clipped = ReadClipped(c, forms_);
    return clipped && clipped->bound == bound ? AffineForms::AsAtom(clipped->x) : kNoAtom;
  }

  bool IsOutput(AtomId state) {
    if (state == c_) return second_.cell->output_function.name == "Affine";
    const auto function = second_.cell->cell_clip != 0 ? AsPlainActivation(state, forms_)
                                                       : AsActivation(state, forms_);
    return function && function->function == second_.cell->output_function &&
           AffineForms::AsAtom(function->argument) == c_;
  }

  // h = n - z * n, or z * n
  bool MatchGru() {
    const auto sum = ExpandWithoutZeros(h_);
    if (!sum || sum->empty() || sum->size() > 2) return false;
    const Monomial& product =
        sum->size() == 1 || sum->front().factors.size() == 2 ? sum->front() : sum->back();
    if (product.factors.size() != 2 || product.constant != kNoConst) return false;
    for (std::size_t i = 0; i < 2; ++i) {
      const AtomId z = product.factors[i];
      const AtomId n = product.factors[1 - i];
      const bool fits = sum->size() == 1
                            ? product.scale == 1 && IsComplement(z)
                            : product.scale == -1 && HasSingle(*sum, n) && IsGate(z, 0);
      if (fits && IsCandidate(n)) return true;
    }
    return false;
  }

  static bool HasSingle(const Polynomial& sum, AtomId n) {
    return std::ranges::any_of(sum, [&](const Monomial& monomial) {
      return monomial.factors == std::vector{n} && monomial.scale == 1 &&
             monomial.constant == kNoConst;
    });
  }

  bool IsComplement(AtomId z) {
    const auto gate = ReadGate(z);
    const auto complement = gate ? Complement(*gate, forms_) : std::nullopt;
    return complement && Fits(*complement, 0);
  }

  // Of the reset gate no more is left than its product with a bias.
  bool IsCandidate(AtomId id) {
    auto n = ReadGate(id);
    if (!n) return false;
    ConstId reset_bias = kNoConst;
    std::erase_if(n->argument.terms, [&](const AffineTerm& term) {
      const auto bias = ResetBias(term);
      if (bias) reset_bias = *bias;
      return bias.has_value();
    });
    return comparer_.Same(reset_bias, weights_.reset_bias) && Fits(*n, 2);
  }

  // The vector that the reset gate is multiplied by; nullopt if a term is no such product.
  std::optional<ConstId> ResetBias(const AffineTerm& term) {
    if (term.kind == TermKind::kDiagonal && IsGate(term.atom, 1)) return term.coefficient;
    auto factors = term.kind == TermKind::kScalar && term.scale == 1 ? FactorsOf(term.atom, forms_)
                                                                     : std::nullopt;
    if (!factors) return std::nullopt;
    for (AffineSegment* factor : {&factors->a, &factors->b}) {
      const AtomId gate = AffineForms::AsAtom(factor == &factors->a ? factors->b : factors->a);
      EraseZeroTerms(*factor);
      if (gate != kNoAtom && factor->terms.empty() && IsGate(gate, 1)) return factor->bias;
    }
    return std::nullopt;
  }

  bool MatchRnn() { return IsGate(h_, 0); }

  // Whether `id` is gate `gate` of the cell; `state` is what a peephole of it reads.
  bool IsGate(AtomId id, std::size_t gate, AtomId state = kNoAtom) {
    auto found = ReadGate(id);
    if (!found) return false;
    if (!weights_.peepholes.empty() && state != kNoAtom) {
      ConstId peephole = kNoConst;
      if (!TakePeephole(*found, state, forms_.consts(), peephole)) return false;
      if (!comparer_.Same(peephole, weights_.peepholes[gate])) return false;
    }
    return Fits(*found, gate);
  }

  bool Fits(const CellGate& found, std::size_t gate) {
    if (found.function != second_.cell->gates[gate].function) return false;
    const AffineSegment argument = AsDense(found.argument, forms_.consts());
    if (!comparer_.Same(argument.bias, weights_.biases[gate])) return false;
    std::vector<AtomId> inputs = inputs_;
    std::size_t open = argument.terms.size();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const ConstId weight = weights_.inputs[i][gate];
      if (weight == kNoConst) continue;
      const auto term = std::ranges::find_if(argument.terms, [&](const AffineTerm& candidate) {
        return (inputs[i] == kNoAtom || inputs[i] == candidate.atom) &&
               comparer_.Same(candidate.coefficient, weight);
      });
      if (term == argument.terms.end()) return false;
      inputs[i] = term->atom;
      --open;
    }
    if (open != 0) return false;
    inputs_ = std::move(inputs);
    return true;
  }

  const CellStep& second_;
  const CellWeights& weights_;
  WeightComparer& comparer_;
  AffineForms& forms_;
  std::vector<AtomId> inputs_;
  StepMask mask_;
  AtomId given_ = kNoAtom;  // the hidden state before the mask
  AtomId h_ = kNoAtom;      // and before its projection
  AtomId c_ = kNoAtom;      // the cell state before the mask
};

}  // namespace

std::optional<FirstStep> MatchFirstStep(const CellStep& second, WeightComparer& comparer,
                                        AffineForms& forms) {
  return FirstMatcher(second, comparer, forms).Match();
}

}  // namespace dragoman

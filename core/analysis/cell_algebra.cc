// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/cell_algebra.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "core/ops/declared_attributes.h"

namespace dragoman {
namespace {

using Kind = AffineTerm::Kind;

constexpr std::size_t kMaxMonomials = 16;
constexpr std::size_t kMaxFactors = 3;
constexpr int kMaxExpansions = 8;

const Node* ProducerOf(const Atom& atom) {
  return atom.step_axis < 0 ? atom.value->producer() : nullptr;
}

// Features of the operand of an elementwise operator where `atom` is its result.
std::optional<AffineSegment> OperandAt(const Value* operand, const Atom& atom, AffineForms& forms) {
  if (operand == nullptr) return std::nullopt;
  const auto rank = atom.value->type().rank();
  const auto own_rank = operand->type().rank();
  if (!rank || !own_rank) return std::nullopt;
  if (const ConstId id = forms.consts().Of(operand); id != kNoConst) {
    const auto whole = SizeAlong(*atom.value, atom.axis);
    const ConstId vector =
        whole ? forms.consts().VectorAlong(id, atom.axis, *rank, *whole) : kNoConst;
    if (vector != kNoConst) {
      return AffineSegment{atom.size, {}, forms.consts().Slice(vector, 0, atom.begin, atom.size)};
    }
  }
  const int axis = atom.axis - (*rank - *own_rank);
  if (SizeAlong(*operand, axis) != SizeAlong(*atom.value, atom.axis)) return std::nullopt;
  const AffineForm* form = forms.Of(operand, axis);
  return form != nullptr ? forms.Slice(*form, atom.begin, atom.size) : std::nullopt;
}

std::optional<double> NumberOf(const Value* value, AffineForms& forms) {
  if (value == nullptr) return std::nullopt;
  const ConstId id = forms.consts().Of(value);
  return id != kNoConst ? forms.consts().Uniform(id) : std::nullopt;
}

// `node` as min(max(x, low), high): a Clip, a Min or Max, or one around the other.
struct BoundedValue {
  const Value* x = nullptr;
  double low = -HUGE_VAL;
  double high = HUGE_VAL;
};

std::optional<BoundedValue> ReadClip(const Node& clip, AffineForms& forms) {
  BoundedValue bounded{.x = clip.operand(0)};
  for (std::size_t i = 1; i <= 2; ++i) {
    if (clip.operand(i) == nullptr) continue;
    const auto number = NumberOf(clip.operand(i), forms);
    if (!number) return std::nullopt;
    (i == 1 ? bounded.low : bounded.high) = *number;
  }
  return bounded;
}

std::optional<BoundedValue> ReadMinOrMax(const Node& node, AffineForms& forms) {
  if ((!node.Is("Min") && !node.Is("Max")) || node.num_operands() != 2) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto number = NumberOf(node.operand(i), forms);
    if (!number) continue;
    BoundedValue bounded{.x = node.operand(1 - i)};
    (node.Is("Max") ? bounded.low : bounded.high) = *number;
    return bounded;
  }
  return std::nullopt;
}

std::optional<BoundedValue> ReadBounded(const Node& node, AffineForms& forms) {
  if (node.Is("Clip")) return ReadClip(node, forms);
  const auto outer = ReadMinOrMax(node, forms);
  if (!outer || outer->x->producer() == nullptr) return outer;
  const auto inner = ReadMinOrMax(*outer->x->producer(), forms);
  if (!inner || node.op().type == outer->x->producer()->op().type) return outer;
  const BoundedValue both{inner->x, std::max(outer->low, inner->low),
                          std::min(outer->high, inner->high)};
  return both.low <= both.high ? std::optional(both) : outer;
}

// An activation function and what it is of.
struct AppliedFunction {
  CellFunction function;
  const Value* x = nullptr;
};

// By name: the functions that ONNX's recurrent operators have.
std::optional<AppliedFunction> FunctionOf(const Node& node, AffineForms& forms) {
  const Value* x = node.operand(0);
  for (std::string_view name : {"Sigmoid", "Tanh", "Relu", "Softplus", "Softsign"}) {
    if (node.Is(name)) return AppliedFunction{{.name = name}, x};
  }
  if (node.Is("LeakyRelu")) {
    return AppliedFunction{{"LeakyRelu", FloatAttribute(node, "alpha")}, x};
  }
  for (std::string_view name : {"Elu", "ThresholdedRelu"}) {
    if (node.Is(name)) return AppliedFunction{{name, FloatAttribute(node, "alpha")}, x};
  }
  if (node.Is("HardSigmoid")) {
    return AppliedFunction{
        {"HardSigmoid", FloatAttribute(node, "alpha"), FloatAttribute(node, "beta")}, x};
  }
  const auto bounded = ReadBounded(node, forms);
  if (!bounded || bounded->low != 0) return std::nullopt;
  if (bounded->high == HUGE_VAL) return AppliedFunction{{.name = "Relu"}, bounded->x};
  if (bounded->high != 1) return std::nullopt;
  return AppliedFunction{{"HardSigmoid", 1.0f, 0.0f}, bounded->x};
}

// x / (1 + |x|), written out.
std::optional<CellGate> AsSpelledSoftsign(AtomId id, AffineForms& forms) {
  const Atom atom = forms.atom(id);
  const Node& node = *ProducerOf(atom);
  const Node* sum = node.Is("Div") ? node.operand(1)->producer() : nullptr;
  if (sum == nullptr || !sum->Is("Add")) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    const Node* abs = sum->operand(i)->producer();
    const bool fits = abs != nullptr && abs->Is("Abs") && abs->operand(0) == node.operand(0) &&
                      NumberOf(sum->operand(1 - i), forms) == 1.0;
    const auto x = fits ? OperandAt(node.operand(0), atom, forms) : std::nullopt;
    if (x) return CellGate{{.name = "Softsign"}, *x, id};
  }
  return std::nullopt;
}

// An activation function that is written by another: a multiple of that plus a number.
std::optional<CellGate> AsMultiple(AtomId id, AffineForms& forms) {
  const Atom atom = forms.atom(id);
  const AffineForm* form = forms.Spelling(atom.value, atom.axis);
  const auto segment = form != nullptr ? forms.Slice(*form, atom.begin, atom.size) : std::nullopt;
  if (!segment) return std::nullopt;
  const AffineTerm term = segment->terms.front();
  const Atom inner = forms.atom(term.atom);
  const Node& node = *inner.value->producer();
  const auto bounded = ReadBounded(node, forms);
  const Value* x = bounded ? bounded->x : node.operand(0);
  const auto argument = OperandAt(x, inner, forms);
  if (!argument) return std::nullopt;
  // tanh(x) = 2 sigmoid(2 x) - 1
  if (node.Is("Tanh")) return CellGate{{.name = "Sigmoid"}, forms.Scale(*argument, 2), id};
  if (node.Is("Sigmoid")) return CellGate{{.name = "Tanh"}, forms.Scale(*argument, 0.5), id};
  if (!bounded || bounded->low != 0 || std::abs(bounded->high * term.scale - 1) > 1e-6) {
    return std::nullopt;
  }
  return CellGate{{"HardSigmoid", static_cast<float>(term.scale), 0.0f}, *argument, id};
}

// A part of what several gates are together: a step of a function is the function of a step.
std::optional<CellGate> AsActivationOfStep(AtomId id, AffineForms& forms) {
  const Atom atom = forms.atom(id);
  const Node* node = atom.value->producer();
  if (node == nullptr || atom.step >= AffineForms::kIteration || forms.IsSpelled(atom.value)) {
    return std::nullopt;
  }
  const auto applied = FunctionOf(*node, forms);
  if (!applied || applied->x->type().rank() != atom.value->type().rank()) return std::nullopt;
  const auto form = forms.OfStep(applied->x, atom.axis, atom.step_axis, atom.step);
  auto argument = form ? forms.Slice(*form, atom.begin, atom.size) : std::nullopt;
  if (!argument) return std::nullopt;
  return CellGate{applied->function, std::move(*argument), id};
}

bool IsProduct(AtomId id, AffineForms& forms) {
  const Node* node = ProducerOf(forms.atom(id));
  return node != nullptr && node->Is("Mul") && !forms.IsSpelled(forms.atom(id).value);
}

// The sum that `id` is; nullopt if it is none.
std::optional<AffineSegment> DefinitionOf(AtomId id, AffineForms& forms) {
  const Atom atom = forms.atom(id);
  if (atom.step_axis >= 0 || forms.IsSpelled(atom.value)) return std::nullopt;
  const AffineForm* form = forms.Definition(atom.value, atom.axis);
  return form != nullptr ? forms.Slice(*form, atom.begin, atom.size) : std::nullopt;
}

// Whether a product in `sum` has one of `atoms` as a factor.
bool MultipliesAny(const AffineSegment& sum, const std::set<AtomId>& atoms, AffineForms& forms) {
  return std::ranges::any_of(sum.terms, [&](const AffineTerm& term) {
    const auto factors = IsProduct(term.atom, forms) ? FactorsOf(term.atom, forms) : std::nullopt;
    return factors && (atoms.contains(AffineForms::AsAtom(factors->a)) ||
                       atoms.contains(AffineForms::AsAtom(factors->b)));
  });
}

// Whether a sum is h - n, a state and a candidate, and no state itself: it holds an activation, and
// no product but what may be a state, one that the activation is not a factor of, here or one sum
// deeper.
bool IsDifference(const AffineSegment& sum, AffineForms& forms) {
  std::set<AtomId> activations;
  for (const AffineTerm& term : sum.terms) {
    if (IsActivation(term.atom, forms)) activations.insert(term.atom);
  }
  if (activations.empty() || MultipliesAny(sum, activations, forms)) return false;
  const bool opposes = sum.terms.size() == 2 && sum.terms.front().scale == -sum.terms.back().scale;
  return std::ranges::none_of(sum.terms, [&](const AffineTerm& term) {
    if (IsProduct(term.atom, forms)) return !opposes || !FactorsOf(term.atom, forms);
    const auto inner = DefinitionOf(term.atom, forms);
    return inner && MultipliesAny(*inner, activations, forms);
  });
}

// The terms of a factor as monomials. A difference is looked into; a state is not.
std::optional<Polynomial> ReadFactor(const AffineSegment& segment, AffineForms& forms) {
  AffineSegment sum = segment;
  if (const AtomId id = AffineForms::AsAtom(segment); id != kNoAtom) {
    const auto definition = DefinitionOf(id, forms);
    if (definition && IsDifference(*definition, forms)) sum = *definition;
  }
  Polynomial terms;
  for (const AffineTerm& term : sum.terms) {
    if (term.kind == Kind::kMatrix) return std::nullopt;
    terms.push_back({term.scale, {term.atom}, term.coefficient});
  }
  if (sum.bias != kNoConst) {
    const auto number = forms.consts().Uniform(sum.bias);
    if (number != 0) terms.push_back(number ? Monomial{*number, {}} : Monomial{1, {}, sum.bias});
  }
  return terms;
}

// Adds `monomial` to the one with the same atoms.
void Accumulate(Polynomial& sum, Monomial monomial) {
  std::sort(monomial.factors.begin(), monomial.factors.end());
  for (Monomial& other : sum) {
    if (other.factors != monomial.factors) continue;
    if (other.constant != kNoConst || monomial.constant != kNoConst) break;
    other.scale += monomial.scale;
    return;
  }
  sum.push_back(std::move(monomial));
}

// Adds `scale` times the product that `id` is.
bool AddProduct(AtomId id, double scale, AffineForms& forms, Polynomial& sum) {
  const auto factors = FactorsOf(id, forms);
  if (!factors) return false;
  const auto left = ReadFactor(factors->a, forms);
  const auto right = ReadFactor(factors->b, forms);
  if (!left || !right) return false;
  for (const Monomial& a : *left) {
    for (const Monomial& b : *right) {
      if (a.constant != kNoConst && b.constant != kNoConst) return false;
      Monomial product{scale * a.scale * b.scale, a.factors, std::max(a.constant, b.constant)};
      product.factors.insert(product.factors.end(), b.factors.begin(), b.factors.end());
      if (product.factors.size() > kMaxFactors) return false;
      Accumulate(sum, std::move(product));
    }
  }
  return sum.size() <= kMaxMonomials;
}

// The factors of the products in a sum.
std::set<AtomId> FactorsIn(const AffineSegment& sum, AffineForms& forms) {
  std::set<AtomId> atoms;
  for (const AffineTerm& term : sum.terms) {
    const auto factors = IsProduct(term.atom, forms) ? FactorsOf(term.atom, forms) : std::nullopt;
    if (!factors) continue;
    for (const AffineSegment& factor : {factors->a, factors->b}) {
      const auto read = ReadFactor(factor, forms);
      if (!read) continue;
      for (const Monomial& monomial : *read) {
        atoms.insert(monomial.factors.begin(), monomial.factors.end());
      }
    }
  }
  return atoms;
}

// A product that is a factor of another product, here or one sum deeper, is a state, and stays.
bool AddSegment(const AffineSegment& segment, double scale, AffineForms& forms, Polynomial& sum) {
  std::set<AtomId> states = FactorsIn(segment, forms);
  for (const AffineTerm& term : segment.terms) {
    const auto inner = DefinitionOf(term.atom, forms);
    if (inner) states.merge(FactorsIn(*inner, forms));
  }
  if (segment.bias != kNoConst && forms.consts().Uniform(segment.bias) != 0.0) return false;
  for (const AffineTerm& term : segment.terms) {
    if (term.kind == Kind::kMatrix) return false;
    const bool is_state = states.contains(term.atom);
    if (term.kind == Kind::kScalar && !is_state && IsProduct(term.atom, forms)) {
      if (!AddProduct(term.atom, scale * term.scale, forms, sum)) return false;
    } else {
      Accumulate(sum, {scale * term.scale, {term.atom}, term.coefficient});
    }
  }
  return sum.size() <= kMaxMonomials;
}

// What an expansion leaves as it is: factors of products, and what their gates read.
std::set<AtomId> KeptBy(const Polynomial& sum, AffineForms& forms) {
  std::set<AtomId> kept;
  for (const Monomial& monomial : sum) {
    for (AtomId factor : monomial.factors) {
      if (monomial.factors.size() > 1) kept.insert(factor);
      const auto gate = AsActivation(factor, forms);
      if (!gate) continue;
      for (const AffineTerm& term : gate->argument.terms) kept.insert(term.atom);
    }
  }
  return kept;
}

// A term to look into: best one that multiplies another term, which is a state then.
Polynomial::iterator FindOpening(Polynomial& sum, AffineForms& forms) {
  const std::set<AtomId> kept = KeptBy(sum, forms);
  std::set<AtomId> single;
  for (const Monomial& monomial : sum) {
    if (monomial.factors.size() == 1) single.insert(monomial.factors.front());
  }
  auto found = sum.end();
  for (auto monomial = sum.begin(); monomial != sum.end(); ++monomial) {
    if (monomial->factors.size() != 1 || kept.contains(monomial->factors.front())) continue;
    const auto definition = DefinitionOf(monomial->factors.front(), forms);
    if (!definition) continue;
    if (MultipliesAny(*definition, single, forms)) return monomial;
    if (found == sum.end()) found = monomial;
  }
  return found;
}

std::optional<Polynomial> Expand(AtomId id, AffineForms& forms) {
  Polynomial sum;
  if (IsProduct(id, forms))
    return AddProduct(id, 1, forms, sum) ? std::optional(sum) : std::nullopt;
  const auto definition = DefinitionOf(id, forms);
  if (!definition || !AddSegment(*definition, 1, forms, sum)) return std::nullopt;
  for (int i = 0; i < kMaxExpansions; ++i) {
    const auto found = FindOpening(sum, forms);
    if (found == sum.end()) break;
    const Monomial opened = *found;
    sum.erase(found);
    if (opened.constant != kNoConst) return std::nullopt;
    const auto inner = DefinitionOf(opened.factors.front(), forms);
    if (!AddSegment(*inner, opened.scale, forms, sum)) return std::nullopt;
  }
  return sum;
}

// What both branches of a Where add up to, as those of torch.lerp do; nullopt if they differ.
std::optional<Polynomial> ExpandChoice(AtomId id, AffineForms& forms) {
  const Atom atom = forms.atom(id);
  std::optional<Polynomial> sums[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const auto branch = OperandAt(atom.value->producer()->operand(i + 1), atom, forms);
    const AtomId sum = branch ? AffineForms::AsAtom(*branch) : kNoAtom;
    if (sum != kNoAtom) sums[i] = Expand(sum, forms);
    if (!sums[i]) return std::nullopt;
    std::erase_if(*sums[i], [](const Monomial& monomial) { return monomial.scale == 0; });
    std::ranges::sort(*sums[i], {}, &Monomial::factors);
  }
  return *sums[0] == *sums[1] ? sums[0] : std::nullopt;
}

}  // namespace

std::optional<ClippedSegment> ReadClipped(AtomId id, AffineForms& forms) {
  if (id == kNoAtom) return std::nullopt;
  const Atom atom = forms.atom(id);
  const Node* node = ProducerOf(atom);
  const auto bounded = node != nullptr ? ReadBounded(*node, forms) : std::nullopt;
  if (!bounded || bounded->low != -bounded->high || bounded->high <= 0) return std::nullopt;
  const auto inner = OperandAt(bounded->x, atom, forms);
  if (!inner || bounded->high == HUGE_VAL) return std::nullopt;
  return ClippedSegment{*inner, static_cast<float>(bounded->high)};
}

std::optional<CellGate> AsPlainActivation(AtomId id, AffineForms& forms) {
  const Atom atom = forms.atom(id);
  const Node* node = ProducerOf(atom);
  if (node == nullptr) return AsActivationOfStep(id, forms);
  if (forms.IsSpelled(atom.value)) return AsMultiple(id, forms);
  const auto applied = FunctionOf(*node, forms);
  if (!applied) return AsSpelledSoftsign(id, forms);
  const auto argument = OperandAt(applied->x, atom, forms);
  if (!argument) return std::nullopt;
  return CellGate{applied->function, *argument, id};
}

std::optional<CellGate> AsActivation(AtomId id, AffineForms& forms) {
  auto gate = AsPlainActivation(id, forms);
  const auto clipped =
      gate ? ReadClipped(AffineForms::AsAtom(gate->argument), forms) : std::nullopt;
  if (clipped) {
    gate->function.clip = clipped->bound;
    gate->argument = clipped->x;
  }
  return gate;
}

bool IsActivation(AtomId atom, AffineForms& forms) { return AsActivation(atom, forms).has_value(); }

bool IsDense(const AffineSegment& segment) {
  return !segment.terms.empty() &&
         std::all_of(segment.terms.begin(), segment.terms.end(),
                     [](const AffineTerm& term) { return term.kind == Kind::kMatrix; });
}

AffineSegment AsDense(AffineSegment segment, ConstExprs& consts) {
  std::vector<AffineTerm> dense;
  for (AffineTerm& term : segment.terms) {
    if (term.kind != Kind::kMatrix) {
      const ConstId vector =
          term.kind == Kind::kDiagonal ? term.coefficient : consts.Fill({segment.size}, term.scale);
      term = {Kind::kMatrix, term.atom, 1, consts.Diagonal(vector)};
    }
    if (!dense.empty() && dense.back().atom == term.atom) {
      dense.back().coefficient = consts.Add(dense.back().coefficient, term.coefficient);
    } else {
      dense.push_back(term);
    }
  }
  segment.terms = std::move(dense);
  return segment;
}

bool ReadsDensely(const AffineSegment& segment, AtomId atom) {
  return std::any_of(segment.terms.begin(), segment.terms.end(), [&](const AffineTerm& term) {
    return term.kind == Kind::kMatrix && term.atom == atom;
  });
}

std::optional<FactorPair> FactorsOf(AtomId id, AffineForms& forms) {
  const Atom atom = forms.atom(id);
  const Node* node = ProducerOf(atom);
  if (node == nullptr || !node->Is("Mul")) return std::nullopt;
  auto a = OperandAt(node->operand(0), atom, forms);
  auto b = OperandAt(node->operand(1), atom, forms);
  if (!a || !b) return std::nullopt;
  return FactorPair{std::move(*a), std::move(*b)};
}

std::optional<Polynomial> ExpandState(AtomId id, AffineForms& forms) {
  const Node* node = ProducerOf(forms.atom(id));
  auto sum = node != nullptr && node->Is("Where") ? ExpandChoice(id, forms) : Expand(id, forms);
  if (sum) std::erase_if(*sum, [](const Monomial& monomial) { return monomial.scale == 0; });
  return sum;
}

AffineSegment ExpandSums(AffineSegment segment, AffineForms& forms) {
  for (int i = 0; i < kMaxExpansions; ++i) {
    const auto found =
        std::find_if(segment.terms.begin(), segment.terms.end(), [&](const AffineTerm& term) {
          return term.kind == Kind::kScalar && DefinitionOf(term.atom, forms).has_value();
        });
    if (found == segment.terms.end()) break;
    const AffineTerm term = *found;
    segment.terms.erase(found);
    segment = forms.Add(segment, forms.Scale(*DefinitionOf(term.atom, forms), term.scale));
  }
  return segment;
}

ConstId ConstantFactor(const Monomial& monomial, std::int64_t size, ConstExprs& consts) {
  if (monomial.constant == kNoConst) return consts.Fill({size}, monomial.scale);
  return consts.Scale(monomial.constant, monomial.scale);
}

std::optional<CellGate> Complement(CellGate gate, AffineForms& forms) {
  const bool hard = gate.function.name == "HardSigmoid";
  if ((!hard && gate.function.name != "Sigmoid") || (hard && gate.function.clip != 0)) {
    return std::nullopt;
  }
  gate.argument = forms.Scale(gate.argument, -1);
  if (!hard) return gate;
  // 1 - min(max(a x + b, 0), 1) = min(max(a y + b, 0), 1) with y = (1 - 2 b) / a - x
  if (gate.function.alpha == 0) return std::nullopt;
  const double shift = (1.0 - 2.0 * gate.function.beta) / gate.function.alpha;
  ConstExprs& consts = forms.consts();
  if (shift != 0) {
    gate.argument.bias = consts.Add(gate.argument.bias, consts.Fill({gate.argument.size}, shift));
  }
  return gate;
}

bool TakePeephole(CellGate& gate, AtomId state, ConstExprs& consts, ConstId& peephole) {
  AffineSegment dense{gate.argument.size, {}, gate.argument.bias};
  for (const AffineTerm& term : gate.argument.terms) {
    if (term.kind == Kind::kMatrix || term.atom != state) {
      dense.terms.push_back(term);
      continue;
    }
    const ConstId vector = term.kind == Kind::kDiagonal
                               ? term.coefficient
                               : consts.Fill({gate.argument.size}, term.scale);
    peephole = consts.Add(peephole, vector);
  }
  gate.argument = AsDense(std::move(dense), consts);
  return IsDense(gate.argument);
}

}  // namespace dragoman

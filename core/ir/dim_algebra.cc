// SPDX-License-Identifier: Apache-2.0
// Division, minimum, maximum, broadcast and comparison of Dims.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/ir/dim.h"
#include "core/support/floor_division.h"
#include "core/support/hash.h"

namespace dragoman {
namespace {

using Kind = DimAtom::Kind;
using Factors = std::vector<std::shared_ptr<const DimAtom>>;
__extension__ typedef __int128 Int128;

constexpr std::int64_t kNoLower = DimRange::kNoLower;
constexpr std::int64_t kNoUpper = DimRange::kNoUpper;

Dim MakeAtom(Kind kind, std::vector<Dim> operands) {
  auto atom = std::make_shared<DimAtom>();
  atom->kind = kind;
  atom->hash = static_cast<std::uint64_t>(kind);
  for (const Dim& operand : operands) atom->hash = HashCombine(atom->hash, operand.hash());
  atom->operands = std::move(operands);
  return Dim::FromTerms({{1, {std::move(atom)}}});
}

Dim Negate(const Dim& d) { return Dim(-1) * d; }

std::int64_t Gcd(std::int64_t a, std::int64_t b) {
  return a == INT64_MIN || b == INT64_MIN ? 1 : std::gcd(a, b);
}

std::int64_t ConstantTerm(const Dim& d) {
  if (d.known()) return d.value();
  const std::span<const DimTerm> terms = d.terms();
  return terms.empty() || !terms.back().factors.empty() ? 0 : terms.back().coefficient;
}

// The greatest common divisor of all coefficients that have factors.
std::int64_t Content(const Dim& d) {
  std::int64_t content = 0;
  for (const DimTerm& term : d.terms()) {
    if (!term.factors.empty()) content = Gcd(content, term.coefficient);
  }
  return content;
}

bool AtomLess(const std::shared_ptr<const DimAtom>& a, const std::shared_ptr<const DimAtom>& b) {
  return a != b && Compare(*a, *b) < 0;
}

// a / b as multisets of atoms, if b is contained in a.
std::optional<Factors> DivideFactors(const Factors& a, const Factors& b) {
  if (!std::includes(a.begin(), a.end(), b.begin(), b.end(), AtomLess)) return std::nullopt;
  Factors quotient;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(quotient),
                      AtomLess);
  return quotient;
}

std::optional<DimTerm> DivideTerm(const DimTerm& a, const DimTerm& b) {
  if (a.coefficient == INT64_MIN || a.coefficient % b.coefficient != 0) return std::nullopt;
  std::optional<Factors> factors = DivideFactors(a.factors, b.factors);
  if (!factors) return std::nullopt;
  return DimTerm{a.coefficient / b.coefficient, std::move(*factors)};
}

// a / b for symbolic a and b, if the division leaves no remainder.
std::optional<Dim> DivideExactly(const Dim& a, const Dim& b) {
  Dim rest = a;
  Dim quotient(0);
  for (std::size_t steps = 0; rest.symbolic() && steps < Dim::kMaxTerms; ++steps) {
    const std::optional<DimTerm> term = DivideTerm(rest.terms()[0], b.terms()[0]);
    if (!term) return std::nullopt;
    const Dim part = Dim::FromTerms({*term});
    quotient = quotient + part;
    rest = rest - part * b;
  }
  if (rest != Dim(0) || quotient.unknown()) return std::nullopt;
  return quotient;
}

Dim DivideAllTerms(const Dim& d, const DimTerm& divisor) {
  if (d.known()) return Dim(d.value() / divisor.coefficient);
  std::vector<DimTerm> terms;
  for (const DimTerm& term : d.terms()) terms.push_back(*DivideTerm(term, divisor));
  return Dim::FromTerms(std::move(terms));
}

// The greatest monomial that divides every term of a and b; b is symbolic.
DimTerm CommonFactor(const Dim& a, const Dim& b) {
  std::int64_t content = Gcd(Gcd(Content(a), ConstantTerm(a)), Gcd(Content(b), ConstantTerm(b)));
  Factors common = b.terms()[0].factors;
  auto intersect = [&](const Factors& factors) {
    Factors kept;
    std::set_intersection(common.begin(), common.end(), factors.begin(), factors.end(),
                          std::back_inserter(kept), AtomLess);
    common = std::move(kept);
  };
  for (const DimTerm& term : b.terms()) intersect(term.factors);
  for (const DimTerm& term : a.terms()) intersect(term.factors);
  if (a.known()) common.clear();
  return {content, std::move(common)};
}

// d = divisor * quotient + rest, term by term: what the single-term divisor divides leaves.
struct Split {
  Dim quotient = 0;
  Dim rest = 0;
};

Split SplitByTerm(const Dim& d, const DimTerm& divisor) {
  std::vector<DimTerm> quotient;
  std::vector<DimTerm> rest;
  for (const DimTerm& term : d.terms()) {
    if (std::optional<DimTerm> part = DivideTerm(term, divisor)) {
      quotient.push_back(std::move(*part));
    } else {
      rest.push_back(term);
    }
  }
  return {Dim::FromTerms(std::move(quotient)), Dim::FromTerms(std::move(rest))};
}

// d = c * quotient + rest with all coefficients of rest in [0, c); c > 0.
Split SplitByConstant(const Dim& d, std::int64_t c) {
  std::vector<DimTerm> quotient;
  std::vector<DimTerm> rest;
  for (const DimTerm& term : d.terms()) {
    quotient.push_back({FloorQuotient(term.coefficient, c), term.factors});
    rest.push_back({FloorRemainder(term.coefficient, c), term.factors});
  }
  return {Dim::FromTerms(std::move(quotient)), Dim::FromTerms(std::move(rest))};
}

// floor(d / c) if it is the same for every value that d can have; c > 0.
std::optional<std::int64_t> ConstantQuotient(const Dim& d, std::int64_t c) {
  const DimRange range = RangeOf(d);
  if (range.lower == kNoLower || range.upper == kNoUpper) return std::nullopt;
  const std::int64_t q = FloorQuotient(range.lower, c);
  return q == FloorQuotient(range.upper, c) ? std::optional(q) : std::nullopt;
}

// If d is x // a + k with constants a and k: x + k * a, and a.
std::optional<std::pair<Dim, std::int64_t>> AsShiftedQuotient(const Dim& d) {
  const DimTerm& term = d.terms()[0];
  const std::size_t rest = ConstantTerm(d) == 0 ? 1 : 2;
  if (d.terms().size() != rest || term.coefficient != 1 || term.factors.size() != 1) return {};
  const DimAtom& atom = *term.factors[0];
  if (atom.kind != Kind::kFloorDiv || !atom.operands[1].known()) return {};
  const Dim dividend = atom.operands[0] + Dim(ConstantTerm(d)) * atom.operands[1];
  return std::pair(dividend, atom.operands[1].value());
}

Dim FloorDivByConstant(const Dim& a, std::int64_t c) {
  if (c == 0 || c == INT64_MIN) return Dim::Unknown();
  if (c < 0) return FloorDivByConstant(Negate(a), -c);
  if (a.known()) return Dim(FloorQuotient(a.value(), c));
  if (c == 1 || a.unknown()) return a;
  const auto [quotient, rest] = SplitByConstant(a, c);
  if (rest.known()) return quotient;
  if (const auto q = ConstantQuotient(rest, c)) return quotient + Dim(*q);
  if (const std::int64_t g = Gcd(Content(rest), c); g > 1) {
    const Dim shift(ConstantTerm(rest));
    const Dim reduced = DivideAllTerms(rest - shift, {g, {}}) + FloorDivByConstant(shift, g);
    return quotient + FloorDivByConstant(reduced, c / g);
  }
  if (const auto nested = AsShiftedQuotient(rest)) {
    const Dim divisor = Dim(nested->second) * Dim(c);
    if (divisor.known() && !nested->first.unknown()) {
      return quotient + FloorDivByConstant(nested->first, divisor.value());
    }
  }
  return quotient + MakeAtom(Kind::kFloorDiv, {rest, Dim(c)});
}

Dim ModByConstant(const Dim& a, std::int64_t c) {
  if (c == 0 || c == INT64_MIN) return Dim::Unknown();
  if (c < 0) return Negate(ModByConstant(Negate(a), -c));
  if (a.known()) return Dim(FloorRemainder(a.value(), c));
  if (a.unknown()) return a;
  Dim rest = SplitByConstant(a, c).rest;
  if (rest.known()) return rest;
  if (const auto q = ConstantQuotient(rest, c)) return rest - Dim(*q) * Dim(c);
  if (const std::int64_t g = Gcd(Content(rest), c); g > 1) {
    const Dim shift(ConstantTerm(rest));
    const Dim reduced = DivideAllTerms(rest - shift, {g, {}}) + FloorDivByConstant(shift, g);
    return Dim(g) * ModByConstant(reduced, c / g) + ModByConstant(shift, g);
  }
  return MakeAtom(Kind::kMod, {rest, Dim(c)});
}

bool IsBelow(const Dim& a, const Dim& b) {
  return RangeOf(a).lower >= 0 && Less(a, b) == Truth::kYes;
}

// The operands of d if it is one atom of this kind, else none.
std::span<const Dim> OperandsOf(Kind kind, const Dim& d) {
  const std::span<const DimTerm> terms = d.terms();
  const bool is_atom = terms.size() == 1 && terms[0].coefficient == 1 &&
                       terms[0].factors.size() == 1 && terms[0].factors[0]->kind == kind;
  return is_atom ? std::span<const Dim>(terms[0].factors[0]->operands) : std::span<const Dim>();
}

// The operands of both, those of the same kind opened, sorted, each once.
std::vector<Dim> FlattenOperands(Kind kind, const Dim& a, const Dim& b) {
  std::vector<Dim> operands;
  for (const Dim* d : {&a, &b}) {
    const std::span<const Dim> inner = OperandsOf(kind, *d);
    if (inner.empty()) {
      operands.push_back(*d);
    } else {
      operands.insert(operands.end(), inner.begin(), inner.end());
    }
  }
  std::sort(operands.begin(), operands.end(),
            [](const Dim& x, const Dim& y) { return Compare(x, y) < 0; });
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  return operands;
}

// Minimum or maximum. An operand that another one is never worse than is dropped.
Dim Extremum(Kind kind, const Dim& a, const Dim& b) {
  if (a.unknown() || b.unknown()) return Dim::Unknown();
  std::vector<Dim> operands = FlattenOperands(kind, a, b);
  auto wins = [&](const Dim& x, const Dim& y) {
    return (kind == Kind::kMin ? LessEqual(x, y) : LessEqual(y, x)) == Truth::kYes;
  };
  for (std::size_t i = 0; i < operands.size();) {
    bool dropped = false;
    for (std::size_t j = 0; j < operands.size() && !dropped; ++j) {
      dropped = i != j && wins(operands[j], operands[i]);
    }
    if (dropped) {
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return operands.size() == 1 ? operands[0] : MakeAtom(kind, std::move(operands));
}

// Whether d has one value with which `size` can be broadcast, other than 1: that of `size`. So is a
// minimum of it and of sizes of 1 or more (a table of positions that is cut to a sequence and added
// to it), and a maximum of it and of what is 0 or less (a slice that may be empty).
bool FollowsFrom(const Dim& size, const Dim& d) {
  auto is_bound_of_size = [&](Kind kind, auto is_harmless) {
    const std::span<const Dim> operands = OperandsOf(kind, d);
    return std::find(operands.begin(), operands.end(), size) != operands.end() &&
           std::all_of(operands.begin(), operands.end(), [&](const Dim& operand) {
             return operand == size || is_harmless(RangeOf(operand));
           });
  };
  return is_bound_of_size(Kind::kMin, [](const DimRange& range) { return range.lower >= 1; }) ||
         is_bound_of_size(Kind::kMax, [](const DimRange& range) { return range.upper <= 0; });
}

std::int64_t Clamp(Int128 value) {
  if (value <= kNoLower) return kNoLower;
  return value >= kNoUpper ? kNoUpper : static_cast<std::int64_t>(value);
}

DimRange AddRanges(const DimRange& a, const DimRange& b) {
  DimRange sum;
  if (a.lower != kNoLower && b.lower != kNoLower) sum.lower = Clamp(Int128(a.lower) + b.lower);
  if (a.upper != kNoUpper && b.upper != kNoUpper) sum.upper = Clamp(Int128(a.upper) + b.upper);
  return sum;
}

// The product of two ends of ranges, either of which may be infinite; 0 * infinity is 0.
std::int64_t MultiplyEnds(std::int64_t a, std::int64_t b) {
  auto infinite = [](std::int64_t end) { return end == kNoLower || end == kNoUpper; };
  if (a == 0 || b == 0) return 0;
  if (infinite(a) || infinite(b)) return (a < 0) == (b < 0) ? kNoUpper : kNoLower;
  return Clamp(Int128(a) * b);
}

DimRange MultiplyRanges(const DimRange& a, const DimRange& b) {
  const auto [lower, upper] =
      std::minmax({MultiplyEnds(a.lower, b.lower), MultiplyEnds(a.lower, b.upper),
                   MultiplyEnds(a.upper, b.lower), MultiplyEnds(a.upper, b.upper)});
  return {lower, upper};
}

DimRange RangeOfQuotient(const DimRange& a, const DimRange& b) {
  if (b.lower == b.upper && b.lower > 0) {
    return {a.lower == kNoLower ? kNoLower : FloorQuotient(a.lower, b.lower),
            a.upper == kNoUpper ? kNoUpper : FloorQuotient(a.upper, b.lower)};
  }
  return a.lower >= 0 && b.lower >= 0 ? DimRange{0, a.upper} : DimRange{};
}

DimRange RangeOfRemainder(const DimRange& a, const DimRange& b) {
  if (b.lower < 0) return {};
  const std::int64_t below =
      b.upper == kNoUpper ? kNoUpper : std::max<std::int64_t>(b.upper - 1, 0);
  return {0, a.lower >= 0 ? std::min(a.upper, below) : below};
}

DimRange RangeOfAtom(const DimAtom& atom) {
  if (atom.kind == Kind::kSymbol) return {0, kNoUpper};
  DimRange range = RangeOf(atom.operands[0]);
  for (std::size_t i = 1; i < atom.operands.size(); ++i) {
    const DimRange next = RangeOf(atom.operands[i]);
    switch (atom.kind) {
      case Kind::kFloorDiv:
        return RangeOfQuotient(range, next);
      case Kind::kMod:
        return RangeOfRemainder(range, next);
      case Kind::kMin:
        range = {std::min(range.lower, next.lower), std::min(range.upper, next.upper)};
        break;
      case Kind::kMax:
        range = {std::max(range.lower, next.lower), std::max(range.upper, next.upper)};
        break;
      default:
        range = {std::min(range.lower, next.lower), std::max(range.upper, next.upper)};
    }
  }
  return range;
}

}  // namespace

Dim FloorDiv(const Dim& a, const Dim& b) {
  if (a.unknown() || b.unknown()) return Dim::Unknown();
  if (b.known()) return FloorDivByConstant(a, b.value());
  if (a == Dim(0)) return a;
  if (b.terms()[0].coefficient < 0) return FloorDiv(Negate(a), Negate(b));
  if (a.symbolic()) {
    if (const std::optional<Dim> quotient = DivideExactly(a, b)) return *quotient;
  }
  const DimTerm common = CommonFactor(a, b);
  if (common.coefficient > 1 || !common.factors.empty()) {
    return FloorDiv(DivideAllTerms(a, common), DivideAllTerms(b, common));
  }
  if (IsBelow(a, b)) return Dim(0);
  if (b.terms().size() == 1 && a.symbolic()) {
    const auto [quotient, rest] = SplitByTerm(a, b.terms()[0]);
    if (quotient != Dim(0)) return quotient + FloorDiv(rest, b);
  }
  return MakeAtom(Kind::kFloorDiv, {a, b});
}

Dim CeilDiv(const Dim& a, const Dim& b) {
  if (b.known() && b.value() < 0) return CeilDiv(Negate(a), Negate(b));
  return FloorDiv(a + b - Dim(1), b);
}

Dim Mod(const Dim& a, const Dim& b) {
  if (a.unknown() || b.unknown()) return Dim::Unknown();
  if (b.known()) return ModByConstant(a, b.value());
  if (a == Dim(0)) return a;
  if (b.terms()[0].coefficient < 0) return Negate(Mod(Negate(a), Negate(b)));
  if (a.symbolic() && DivideExactly(a, b)) return Dim(0);
  if (IsBelow(a, b)) return a;
  if (b.terms().size() == 1 && a.symbolic()) {
    const auto [quotient, rest] = SplitByTerm(a, b.terms()[0]);
    if (quotient != Dim(0)) return Mod(rest, b);
  }
  return MakeAtom(Kind::kMod, {a, b});
}

Dim Min(const Dim& a, const Dim& b) { return Extremum(Kind::kMin, a, b); }

Dim Max(const Dim& a, const Dim& b) { return Extremum(Kind::kMax, a, b); }

Dim Broadcast(const Dim& a, const Dim& b) {
  if (a == Dim(1)) return b;
  if (b == Dim(1)) return a;
  if (a.known() && b.known()) return a == b ? a : Dim::Unknown();
  if (a.known()) return a;
  if (b.known()) return b;
  if (Equal(a, Dim(1)) == Truth::kNo) return a;
  if (Equal(b, Dim(1)) == Truth::kNo) return b;
  if (a.unknown() || b.unknown()) return Dim::Unknown();
  std::vector<Dim> operands = FlattenOperands(Kind::kBroadcast, a, b);
  std::erase_if(operands, [whole = operands](const Dim& operand) {
    return std::any_of(whole.begin(), whole.end(),
                       [&](const Dim& other) { return FollowsFrom(other, operand); });
  });
  return operands.size() == 1 ? operands[0] : MakeAtom(Kind::kBroadcast, std::move(operands));
}

Dim Apply(DimAtom::Kind kind, std::span<const Dim> operands) {
  Dim result = operands[0];
  for (const Dim& operand : operands.subspan(1)) {
    switch (kind) {
      case Kind::kFloorDiv:
        result = FloorDiv(result, operand);
        break;
      case Kind::kMod:
        result = Mod(result, operand);
        break;
      case Kind::kMin:
        result = Min(result, operand);
        break;
      case Kind::kMax:
        result = Max(result, operand);
        break;
      default:
        result = Broadcast(result, operand);
    }
  }
  return result;
}

DimRange RangeOf(const Dim& d) {
  if (d.known()) return {d.value(), d.value()};
  if (d.unknown()) return {};
  DimRange sum{0, 0};
  for (const DimTerm& term : d.terms()) {
    DimRange product{term.coefficient, term.coefficient};
    for (const auto& atom : term.factors) {
      product = MultiplyRanges(product, RangeOfAtom(*atom));
    }
    sum = AddRanges(sum, product);
  }
  return sum;
}

Truth Equal(const Dim& a, const Dim& b) {
  if (a.unknown() || b.unknown()) return Truth::kUnknown;
  if (a == b) return Truth::kYes;
  const Dim difference = a - b;
  if (difference.unknown()) return Truth::kUnknown;
  if (difference.known()) return difference == Dim(0) ? Truth::kYes : Truth::kNo;
  const DimRange range = RangeOf(difference);
  if (range.lower > 0 || range.upper < 0) return Truth::kNo;
  const std::int64_t content = Content(difference);
  return ConstantTerm(difference) % content != 0 ? Truth::kNo : Truth::kUnknown;
}

Truth Less(const Dim& a, const Dim& b) {
  const DimRange range = RangeOf(b - a);
  if (range.lower > 0) return Truth::kYes;
  return range.upper <= 0 ? Truth::kNo : Truth::kUnknown;
}

Truth LessEqual(const Dim& a, const Dim& b) {
  const Truth greater = Less(b, a);
  if (greater == Truth::kUnknown) return greater;
  return greater == Truth::kYes ? Truth::kNo : Truth::kYes;
}

}  // namespace dragoman

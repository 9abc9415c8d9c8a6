// SPDX-License-Identifier: Apache-2.0
#include "core/ir/dim.h"

#include <algorithm>
#include <compare>
#include <set>
#include <utility>

#include "core/support/hash.h"

namespace dragoman {
namespace {

int Sign(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

int CompareFactors(const DimTerm& a, const DimTerm& b) {
  const std::size_t shared = std::min(a.factors.size(), b.factors.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (a.factors[i] == b.factors[i]) continue;
    if (const int c = Compare(*a.factors[i], *b.factors[i]); c != 0) return c;
  }
  return 0;
}

// Merges terms of equal factors; false on overflow.
bool MergeTerms(std::vector<DimTerm>& terms) {
  std::stable_sort(terms.begin(), terms.end(),
                   [](const DimTerm& a, const DimTerm& b) { return Compare(a, b) < 0; });
  std::vector<DimTerm> merged;
  for (DimTerm& term : terms) {
    if (!merged.empty() && Compare(merged.back(), term) == 0) {
      std::int64_t& sum = merged.back().coefficient;
      if (__builtin_add_overflow(sum, term.coefficient, &sum)) return false;
    } else {
      merged.push_back(std::move(term));
    }
  }
  std::erase_if(merged, [](const DimTerm& term) { return term.coefficient == 0; });
  terms = std::move(merged);
  return true;
}

std::vector<DimTerm> TermsOf(const Dim& d) {
  if (d.known()) return {{d.value(), {}}};
  return {d.terms().begin(), d.terms().end()};
}

std::optional<std::int64_t> QuotientIfKnown(std::int64_t a, std::int64_t b) {
  const Dim q = FloorDiv(Dim(a), Dim(b));
  return q.known() ? std::optional(q.value()) : std::nullopt;
}

std::optional<std::int64_t> EvaluateBroadcast(const std::vector<std::int64_t>& sizes) {
  std::int64_t result = 1;
  for (const std::int64_t size : sizes) {
    if (size == 1) continue;
    if (result != 1 && result != size) return std::nullopt;
    result = size;
  }
  return result;
}

std::optional<std::int64_t> EvaluateAtom(const DimAtom& atom,
                                         const std::map<std::string, std::int64_t>& symbols) {
  if (atom.kind == DimAtom::Kind::kSymbol) {
    const auto it = symbols.find(atom.name);
    return it == symbols.end() ? std::nullopt : std::optional(it->second);
  }
  std::vector<std::int64_t> values;
  for (const Dim& operand : atom.operands) {
    const std::optional<std::int64_t> value = operand.Evaluate(symbols);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  switch (atom.kind) {
    case DimAtom::Kind::kFloorDiv:
      return QuotientIfKnown(values[0], values[1]);
    case DimAtom::Kind::kMod: {
      const Dim rest = Mod(Dim(values[0]), Dim(values[1]));
      return rest.known() ? std::optional(rest.value()) : std::nullopt;
    }
    case DimAtom::Kind::kMin:
      return *std::min_element(values.begin(), values.end());
    case DimAtom::Kind::kMax:
      return *std::max_element(values.begin(), values.end());
    default:
      return EvaluateBroadcast(values);
  }
}

void CollectSymbols(const Dim& d, std::set<std::string>& names) {
  for (const DimTerm& term : d.terms()) {
    for (const auto& atom : term.factors) {
      if (atom->kind == DimAtom::Kind::kSymbol) names.insert(atom->name);
      for (const Dim& operand : atom->operands) CollectSymbols(operand, names);
    }
  }
}

Dim SubstituteAtom(const std::shared_ptr<const DimAtom>& atom,
                   const std::map<std::string, Dim>& symbols) {
  if (atom->kind == DimAtom::Kind::kSymbol) {
    const auto it = symbols.find(atom->name);
    return it != symbols.end() ? it->second : Dim::FromTerms({{1, {atom}}});
  }
  std::vector<Dim> operands;
  for (const Dim& operand : atom->operands) operands.push_back(operand.Substitute(symbols));
  return Apply(atom->kind, operands);
}

}  // namespace

int Compare(const DimAtom& a, const DimAtom& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (const int c = Sign(a.name <=> b.name); c != 0) return c;
  const std::size_t shared = std::min(a.operands.size(), b.operands.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (const int c = Compare(a.operands[i], b.operands[i]); c != 0) return c;
  }
  return Sign(a.operands.size() <=> b.operands.size());
}

int Compare(const DimTerm& a, const DimTerm& b) {
  const int degree = Sign(b.factors.size() <=> a.factors.size());
  return degree != 0 ? degree : CompareFactors(a, b);
}

int Compare(const Dim& a, const Dim& b) {
  auto rank = [](const Dim& d) { return d.known() ? 0 : d.symbolic() ? 1 : 2; };
  if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
  if (a.known()) return Sign(a.value() <=> b.value());
  if (a.expr_ == b.expr_) return 0;
  const std::span<const DimTerm> x = a.terms();
  const std::span<const DimTerm> y = b.terms();
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (const int c = Compare(x[i], y[i]); c != 0) return c;
    if (const int c = Sign(x[i].coefficient <=> y[i].coefficient); c != 0) return c;
  }
  return Sign(x.size() <=> y.size());
}

Dim::Dim() {
  static const std::shared_ptr<const Expr> kUnknown = std::make_shared<const Expr>();
  expr_ = kUnknown;
}

Dim Dim::Symbol(std::string name) {
  auto atom = std::make_shared<DimAtom>();
  atom->hash = HashString(name);
  atom->name = std::move(name);
  return FromTerms({{1, {std::move(atom)}}});
}

Dim Dim::FromTerms(std::vector<DimTerm> terms) {
  if (!MergeTerms(terms)) return Unknown();
  if (terms.empty()) return Dim(0);
  if (terms.size() == 1 && terms[0].factors.empty()) return Dim(terms[0].coefficient);
  if (terms.size() > kMaxTerms) return Unknown();
  Expr expr;
  for (const DimTerm& term : terms) {
    if (term.coefficient == INT64_MIN) return Unknown();  // has no text without its sign
    expr.size += 1;
    expr.hash = HashCombine(expr.hash, static_cast<std::uint64_t>(term.coefficient));
    for (const auto& atom : term.factors) {
      expr.size += 1;
      expr.nesting = std::max(expr.nesting, 1);
      expr.hash = HashCombine(expr.hash, atom->hash);
      for (const Dim& operand : atom->operands) {
        expr.size += operand.size();
        expr.nesting = std::max(expr.nesting, 1 + operand.nesting());
      }
      if (expr.size > kMaxSize || expr.nesting > kMaxNesting) return Unknown();
    }
  }
  expr.terms = std::move(terms);
  return Dim(std::make_shared<const Expr>(std::move(expr)));
}

std::span<const DimTerm> Dim::terms() const {
  return expr_ ? std::span<const DimTerm>(expr_->terms) : std::span<const DimTerm>();
}

const std::string* Dim::symbol() const {
  if (terms().size() != 1) return nullptr;
  const DimTerm& term = terms()[0];
  const bool single = term.coefficient == 1 && term.factors.size() == 1 &&
                      term.factors[0]->kind == DimAtom::Kind::kSymbol;
  return single ? &term.factors[0]->name : nullptr;
}

std::uint64_t Dim::hash() const {
  if (!expr_) return HashCombine(1, static_cast<std::uint64_t>(value_));
  return HashCombine(2, expr_->hash);
}

int Dim::nesting() const { return expr_ ? expr_->nesting : 0; }
int Dim::size() const { return expr_ ? expr_->size : 0; }

std::optional<std::int64_t> Dim::Evaluate(
    const std::map<std::string, std::int64_t>& symbols) const {
  if (known()) return value_;
  if (unknown()) return std::nullopt;
  std::int64_t sum = 0;
  for (const DimTerm& term : terms()) {
    std::int64_t product = term.coefficient;
    for (const auto& atom : term.factors) {
      const std::optional<std::int64_t> value = EvaluateAtom(*atom, symbols);
      if (!value || __builtin_mul_overflow(product, *value, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

Dim Dim::Substitute(const std::map<std::string, Dim>& symbols) const {
  if (!symbolic()) return *this;
  Dim sum(0);
  for (const DimTerm& term : terms()) {
    Dim product(term.coefficient);
    for (const auto& atom : term.factors) product = product * SubstituteAtom(atom, symbols);
    sum = sum + product;
  }
  return sum;
}

std::vector<std::string> Dim::Symbols() const {
  std::set<std::string> names;
  CollectSymbols(*this, names);
  return {names.begin(), names.end()};
}

Dim operator+(const Dim& a, const Dim& b) {
  if (a.unknown() || b.unknown()) return Dim::Unknown();
  std::vector<DimTerm> terms = TermsOf(a);
  const std::vector<DimTerm> more = TermsOf(b);
  terms.insert(terms.end(), more.begin(), more.end());
  return Dim::FromTerms(std::move(terms));
}

Dim operator-(const Dim& a, const Dim& b) {
  if (b == Dim(INT64_MIN)) return a.known() && a.value() < 0 ? Dim(a.value() - b.value()) : Dim();
  return a + Dim(-1) * b;
}

Dim operator*(const Dim& a, const Dim& b) {
  if (a == Dim(0) || b == Dim(0)) return Dim(0);
  if (a.unknown() || b.unknown()) return Dim::Unknown();
  const std::vector<DimTerm> x = TermsOf(a);
  const std::vector<DimTerm> y = TermsOf(b);
  std::vector<DimTerm> terms;
  for (const DimTerm& s : x) {
    for (const DimTerm& t : y) {
      DimTerm product;
      if (__builtin_mul_overflow(s.coefficient, t.coefficient, &product.coefficient)) return Dim();
      std::merge(s.factors.begin(), s.factors.end(), t.factors.begin(), t.factors.end(),
                 std::back_inserter(product.factors),
                 [](const auto& p, const auto& q) { return p != q && Compare(*p, *q) < 0; });
      terms.push_back(std::move(product));
    }
  }
  return Dim::FromTerms(std::move(terms));
}

}  // namespace dragoman

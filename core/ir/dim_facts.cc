#include "core/ir/dim_facts.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace dragoman {
namespace {

// Stands for symbol / multiple while a Dim is simplified. No file can hold this name.
std::string QuotientName(const std::string& symbol) { return symbol + std::string("\0/", 2); }

// d with the quotients q of symbols s replaced: k * q becomes s, any other q becomes s // k.
Dim RestoreQuotients(const Dim& d,
                     const std::map<std::string, std::pair<Dim, std::int64_t>>& symbols,
                     const DimFacts& facts) {
  if (!d.symbolic()) return d;
  Dim sum(0);
  for (const DimTerm& term : d.terms()) {
    std::int64_t coefficient = term.coefficient;
    Dim product(1);
    for (const auto& atom : term.factors) {
      if (const auto it = symbols.find(atom->name); it != symbols.end()) {
        const auto& [symbol, multiple] = it->second;
        const bool exact = coefficient % multiple == 0;
        if (exact) coefficient /= multiple;
        product = product * (exact ? symbol : FloorDiv(symbol, Dim(multiple), &facts));
        continue;
      }
      std::vector<Dim> operands;
      for (const Dim& operand : atom->operands) {
        operands.push_back(RestoreQuotients(operand, symbols, facts));
      }
      product = product * (operands.empty() ? Dim::FromTerms({{1, {atom}}})
                                            : Apply(atom->kind, operands, &facts));
    }
    sum = sum + Dim(coefficient) * product;
  }
  return sum;
}

// The symbol of `zero` that stands alone in one term with coefficient 1 or -1 and nowhere else; of
// several the last by name.
const DimTerm* FindSolvableTerm(const Dim& zero) {
  const DimTerm* best = nullptr;
  for (const DimTerm& term : zero.terms()) {
    const bool unit = term.coefficient == 1 || term.coefficient == -1;
    if (!unit || term.factors.size() != 1) continue;
    const std::string& name = term.factors[0]->name;
    if (name.empty() || (best && name < best->factors[0]->name)) continue;
    const std::vector<std::string> others = (zero - Dim::FromTerms({term})).Symbols();
    if (!std::binary_search(others.begin(), others.end(), name)) best = &term;
  }
  return best;
}

}  // namespace

bool DimFacts::Solve(const Dim& zero) {
  const DimTerm* term = FindSolvableTerm(zero);
  if (!term) return false;
  const std::string name = term->factors[0]->name;
  const Dim value = Dim(-term->coefficient) * (zero - Dim::FromTerms({*term}));
  if (value.unknown()) return false;
  if (const std::string* other = value.symbol()) {
    AssumeRange(*other, range(name));
    AssumeMultiple(*other, multiple(name));
  }
  for (auto& [symbol, old] : equalities_) old = old.Substitute({{name, value}}, this);
  equalities_.insert_or_assign(name, value);
  return true;
}

Truth DimFacts::AssumeEqual(const Dim& a, const Dim& b) {
  const Dim x = Simplify(a);
  const Dim y = Simplify(b);
  const Truth known = Equal(x, y);
  if (known != Truth::kUnknown || x.unknown() || y.unknown()) return known;
  return Solve(x - y) ? Truth::kYes : Truth::kUnknown;
}

bool DimFacts::AssumeRange(const std::string& symbol, const DimRange& range) {
  const DimRange old = this->range(symbol);
  const DimRange both{std::max(old.lower, range.lower), std::min(old.upper, range.upper)};
  if (both.lower > both.upper) return false;
  ranges_[symbol] = both;
  return true;
}

void DimFacts::AssumeMultiple(const std::string& symbol, std::int64_t k) {
  std::int64_t& multiple = multiples_.emplace(symbol, 1).first->second;
  std::int64_t both = 0;
  if (!__builtin_mul_overflow(multiple / std::gcd(multiple, k), k, &both)) multiple = both;
}

DimRange DimFacts::range(const std::string& symbol) const {
  const auto it = ranges_.find(symbol);
  return it == ranges_.end() ? DimRange{0, DimRange::kNoUpper} : it->second;
}

std::int64_t DimFacts::multiple(const std::string& symbol) const {
  const auto it = multiples_.find(symbol);
  return it == multiples_.end() ? 1 : it->second;
}

Dim DimFacts::Simplify(const Dim& d) const {
  Dim result = d.Substitute(equalities_, this);
  std::map<std::string, Dim> quotients;
  std::map<std::string, std::pair<Dim, std::int64_t>> symbols;
  for (const std::string& name : result.Symbols()) {
    const std::int64_t k = multiple(name);
    if (k == 1) continue;
    quotients.emplace(name, Dim(k) * Dim::Symbol(QuotientName(name)));
    symbols.emplace(QuotientName(name), std::pair(Dim::Symbol(name), k));
  }
  if (quotients.empty()) return result;
  return RestoreQuotients(result.Substitute(quotients, this), symbols, *this);
}

Truth DimFacts::Equal(const Dim& a, const Dim& b) const {
  const Dim x = Simplify(a);
  const Dim y = Simplify(b);
  const Truth truth = dragoman::Equal(x, y, this);
  if (truth != Truth::kUnknown) return truth;
  const Dim difference = Simplify(x - y);
  std::map<std::string, Dim> quotients;
  for (const std::string& name : difference.Symbols()) {
    quotients.emplace(name, Dim(multiple(name)) * Dim::Symbol(QuotientName(name)));
  }
  return dragoman::Equal(difference.Substitute(quotients, this), Dim(0));
}

Truth DimFacts::Less(const Dim& a, const Dim& b) const {
  return dragoman::Less(Simplify(a), Simplify(b), this);
}

Truth DimFacts::LessEqual(const Dim& a, const Dim& b) const {
  return dragoman::LessEqual(Simplify(a), Simplify(b), this);
}

}  // namespace dragoman

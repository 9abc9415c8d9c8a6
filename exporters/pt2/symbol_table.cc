// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/symbol_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace dragoman::pt2 {
namespace {

// Examples of open sizes are multiples of it, so that sizes that are split into parts fit, and no
// two are equal.
constexpr std::int64_t kExampleStep = 48;

bool HasBroadcast(const Dim& dim) {
  return std::ranges::any_of(dim.terms(), [](const DimTerm& term) {
    return std::ranges::any_of(term.factors, [](const auto& atom) {
      return atom->kind == DimAtom::Kind::kBroadcast ||
             std::ranges::any_of(atom->operands, HasBroadcast);
    });
  });
}

std::string Call(std::string_view function, const std::vector<std::string>& arguments) {
  return fmt::format("{}({})", function, fmt::join(arguments, ", "));
}

std::string_view FunctionOf(DimAtom::Kind kind) {
  switch (kind) {
    case DimAtom::Kind::kFloorDiv:
      return "FloorDiv";
    case DimAtom::Kind::kMod:
      return "PythonMod";
    case DimAtom::Kind::kMin:
      return "Min";
    default:
      return "Max";
  }
}

}  // namespace

bool SymbolTable::IsBound(const Dim& dim) const {
  if (dim.unknown() || HasBroadcast(dim)) return false;
  return std::ranges::all_of(dim.Symbols(),
                             [&](const std::string& name) { return bound_.contains(name); });
}

void SymbolTable::Add(const std::string& symbol, bool is_input) {
  if (is_input) {
    bound_[symbol] = {fmt::format("s{}", next_input_), kExampleStep * (next_input_ + 1)};
    ++next_input_;
  } else {
    bound_[symbol] = {fmt::format("u{}", next_unbacked_++), 0};
  }
}

Dim SymbolTable::Fresh() { return Dim::Symbol(fmt::format("pt2 size {}", next_fresh_++)); }

Shape SymbolTable::Bind(const Shape& shape, bool is_input) {
  Shape named = shape;
  for (Dim& dim : named) {
    if (IsBound(dim)) continue;
    if (dim.symbol() == nullptr) dim = Fresh();
    Add(*dim.symbol(), is_input);
  }
  return named;
}

std::string SymbolTable::Expression(const DimAtom& atom) const {
  if (atom.kind == DimAtom::Kind::kSymbol) {
    const Bound& bound = bound_.at(atom.name);
    return fmt::format("Symbol('{}', {}integer=True)", bound.name,
                       bound.example > 0 ? "positive=True, " : "");
  }
  std::vector<std::string> operands;
  for (const Dim& operand : atom.operands) operands.push_back(Expression(operand));
  return Call(FunctionOf(atom.kind), operands);
}

std::string SymbolTable::Expression(const DimTerm& term) const {
  std::vector<std::string> factors;
  if (term.coefficient != 1 || term.factors.empty())
    factors.push_back(fmt::format("Integer({})", term.coefficient));
  for (const auto& atom : term.factors) factors.push_back(Expression(*atom));
  return factors.size() == 1 ? factors.front() : Call("Mul", factors);
}

std::string SymbolTable::Expression(const Dim& dim) const {
  if (dim.known()) return fmt::format("Integer({})", dim.value());
  std::vector<std::string> terms;
  for (const DimTerm& term : dim.terms()) terms.push_back(Expression(term));
  return terms.size() == 1 ? terms.front() : Call("Add", terms);
}

Json SymbolTable::SizeJson(const Dim& dim) const {
  if (dim.known()) return {{"as_int", dim.value()}};
  std::map<std::string, std::int64_t> examples;
  for (const auto& [symbol, bound] : bound_) {
    if (bound.example > 0) examples[symbol] = bound.example;
  }
  Json hint;
  if (const auto example = dim.Evaluate(examples)) hint = {{"as_int", *example}};
  return {{"as_expr", {{"expr_str", Expression(dim)}, {"hint", std::move(hint)}}}};
}

Json SymbolTable::RangeConstraints(const std::string& program) const {
  Json ranges = Json::object();
  for (const auto& [symbol, bound] : bound_) {
    if (program.find("Symbol('" + bound.name + "'") == std::string::npos) continue;
    ranges[bound.name] = {{"min_val", 0}, {"max_val", nullptr}};
  }
  return ranges;
}

}  // namespace dragoman::pt2

// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/declared_types.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/ir/type_algebra.h"
#include "core/support/text.h"

namespace dragoman {

DeclaredTypes::DeclaredTypes(const Graph& entry) {
  for (const auto& input : entry.inputs()) AddSymbols(input->type(), symbols_);
}

bool DeclaredTypes::IsProven(const Dim& size) const {
  const std::vector<std::string> symbols = size.Symbols();
  return !size.unknown() && std::ranges::all_of(symbols, [&](const std::string& symbol) {
    return symbols_.contains(symbol);
  });
}

// Two symbols of inputs contradict each other too: inputs may differ in them.
bool DeclaredTypes::Contradict(const Dim& inferred, const Dim& declared) const {
  if (declared.unknown() || !IsProven(inferred) || !IsProven(declared)) return false;
  if (declared.known()) return inferred != declared;
  const bool symbols = inferred.symbol() != nullptr && declared.symbol() != nullptr;
  return symbols && inferred != declared;
}

Type DeclaredTypes::Merge(const Type& inferred, const Type& declared, const std::string& name) {
  const Shape* proven = inferred.is_tensor() ? inferred.shape() : nullptr;
  const Shape* claimed = declared.is_tensor() ? declared.shape() : nullptr;
  if (proven == nullptr || claimed == nullptr) return Refine(inferred, declared);
  bool contradict = proven->size() != claimed->size();
  Shape sizes = *proven;
  for (std::size_t i = 0; i < sizes.size() && sizes.size() == claimed->size(); ++i) {
    const Dim& claim = (*claimed)[i];
    contradict = contradict || Contradict(sizes[i], claim);
    if (sizes[i].unknown() || (claim.known() && !IsProven(sizes[i]))) sizes[i] = claim;
  }
  if (contradict && contradicted_.insert(name).second && first_.empty()) {
    first_ = Quote(name) + " is declared as " + declared.WithDType(inferred.dtype()).ToString() +
             ", but the graph computes " + inferred.ToString() + ", which holds";
  }
  const Type type = inferred.WithShape(std::move(sizes));
  return type.dtype() == DType::kUnknown ? type.WithDType(declared.dtype()) : type;
}

void DeclaredTypes::NoteContradictions(const Facts& facts,
                                       const std::function<void(std::string_view)>& note) const {
  if (contradicted_.empty() || !facts.shapes.empty() || !facts.dims.empty()) return;
  const std::string more = std::to_string(contradicted_.size() - 1);
  note(more == "0" ? first_ : first_ + " (others that contradict what is computed: " + more + ")");
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// What files declare of the sizes of values, against what inference proves.
//
// One policy for all formats (docs/declared-sizes.md). A size is proven if inference gives it as a
// number, or as an expression over the symbols of the entry's inputs: it holds whatever the file
// declares, and a contradiction is reported. A size that inference leaves open is taken as
// declared: a claim, which the interpreter and generated programs check.
#ifndef DRAGOMAN_CORE_ANALYSIS_DECLARED_TYPES_H_
#define DRAGOMAN_CORE_ANALYSIS_DECLARED_TYPES_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "core/analysis/facts.h"
#include "core/ir/graph.h"
#include "core/ir/type.h"

namespace dragoman {

class DeclaredTypes {
 public:
  DeclaredTypes() = default;
  // Of values of `entry`, which has all its inputs.
  explicit DeclaredTypes(const Graph& entry);

  // The type of the value called `name`.
  Type Merge(const Type& inferred, const Type& declared, const std::string& name);

  // Gives `note` one sentence about all contradictions, if there are any. Facts that state other
  // sizes than the file does contradict it by intention.
  void NoteContradictions(const Facts& facts,
                          const std::function<void(std::string_view)>& note) const;

 private:
  bool IsProven(const Dim& size) const;
  bool Contradict(const Dim& inferred, const Dim& declared) const;

  std::set<std::string> symbols_;
  std::set<std::string> contradicted_;  // names of values
  std::string first_;                   // what is said of the first of them
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_DECLARED_TYPES_H_

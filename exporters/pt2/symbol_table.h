// SPDX-License-Identifier: Apache-2.0
// Sizes that a program leaves open, as torch.export writes them: expressions of sympy over symbols
// s0, s1, … that inputs bind, and u0, u1, … that data decide.
#ifndef DRAGOMAN_EXPORTERS_PT2_SYMBOL_TABLE_H_
#define DRAGOMAN_EXPORTERS_PT2_SYMBOL_TABLE_H_

#include <cstdint>
#include <map>
#include <string>

#include "core/ir/dim.h"
#include "core/ir/type.h"
#include "exporters/pt2/json.h"

namespace dragoman::pt2 {

class SymbolTable {
 public:
  // `shape` with a name for every size: a symbol that stands alone is bound here, if it was not
  // before; what is unknown, or says something of symbols that nothing has bound, gets a new one.
  Shape Bind(const Shape& shape, bool is_input);
  Dim Fresh();

  // The size as the format has it.
  Json SizeJson(const Dim& dim) const;
  // Of the symbols that `program` names, its JSON as text, the bounds that torch is to check.
  Json RangeConstraints(const std::string& program) const;

 private:
  struct Bound {
    std::string name;          // "s0"
    std::int64_t example = 0;  // a size that stands for all when torch traces; 0: none
  };

  bool IsBound(const Dim& dim) const;
  void Add(const std::string& symbol, bool is_input);
  std::string Expression(const Dim& dim) const;
  std::string Expression(const DimTerm& term) const;
  std::string Expression(const DimAtom& atom) const;

  std::map<std::string, Bound> bound_;
  std::int64_t next_input_ = 0;
  std::int64_t next_unbacked_ = 0;
  std::int64_t next_fresh_ = 0;
};

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_SYMBOL_TABLE_H_

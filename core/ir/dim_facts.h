// What is known of symbols beyond "an integer >= 0". Facts come from the user, from the file, or
// from the precondition of an operator.
#ifndef DRAGOMAN_CORE_IR_DIM_FACTS_H_
#define DRAGOMAN_CORE_IR_DIM_FACTS_H_

#include <cstdint>
#include <map>
#include <string>

#include "core/ir/dim.h"

namespace dragoman {

class DimFacts {
 public:
  // Assumes a == b. kYes: it holds now (a symbol has been solved for, or it held already); kNo: it
  // contradicts what is known, nothing was changed; kUnknown: no symbol stands alone in it, nothing
  // was changed. Of two symbols the later name is replaced by the earlier one.
  Truth AssumeEqual(const Dim& a, const Dim& b);
  // Assumes lower <= symbol <= upper in addition to what is known; false, without effect, if
  // nothing is left.
  bool AssumeRange(const std::string& symbol, const DimRange& range);
  // Assumes that the symbol is a multiple of k >= 1, in addition to what is known.
  void AssumeMultiple(const std::string& symbol, std::int64_t k);

  // The normal form of d under the facts.
  Dim Simplify(const Dim& d) const;
  Truth Equal(const Dim& a, const Dim& b) const;
  Truth Less(const Dim& a, const Dim& b) const;
  Truth LessEqual(const Dim& a, const Dim& b) const;

  // Fully reduced: no replaced symbol occurs on the right.
  const std::map<std::string, Dim>& equalities() const { return equalities_; }
  DimRange range(const std::string& symbol) const;         // 0 <= symbol if nothing is known
  std::int64_t multiple(const std::string& symbol) const;  // 1 if nothing is known

 private:
  bool Solve(const Dim& zero);

  std::map<std::string, Dim> equalities_;
  std::map<std::string, DimRange> ranges_;
  std::map<std::string, std::int64_t> multiples_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_DIM_FACTS_H_

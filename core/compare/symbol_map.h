// SPDX-License-Identifier: Apache-2.0
// Types up to the names of the symbols in their sizes.
#ifndef DRAGOMAN_CORE_COMPARE_SYMBOL_MAP_H_
#define DRAGOMAN_CORE_COMPARE_SYMBOL_MAP_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/compare/equal.h"
#include "core/ir/type.h"

namespace dragoman::compare {

// The one-to-one map of the symbols of two models, made where two sizes that are just a symbol
// first meet. A size that is an expression over symbols not met so far waits for Settle.
class SymbolMap {
 public:
  // What a type, rank or size that one side does not know does to a known one. kNamed: a size is
  // one of a symbol that occurs nowhere else.
  enum class Unknown { kDiffers, kFits, kNamed };

  explicit SymbolMap(bool ignore_shapes) : ignore_shapes_(ignore_shapes) {}

  // `tag` is what Settle gives back.
  bool Match(const Type& a, const Type& b, std::size_t tag, Unknown unknown = Unknown::kDiffers);
  // Maps symbols that occur in expressions only, so that these become equal; tries every order for
  // up to five symbols at once, and alphabetic order for more. The tag of the first pair that has
  // no such map.
  std::optional<std::size_t> Settle();

 private:
  struct Waiting {
    Dim a;
    Dim b;
    std::size_t tag;
  };
  bool MatchDim(const Dim& a, const Dim& b, std::size_t tag, Unknown unknown);
  bool Bind(const std::string& a, const std::string& b);
  std::string FreshSymbol();
  bool SameUnderMap(const Dim& a, const Dim& b) const;
  std::vector<std::string> Unbound(const Dim& dim, const std::map<std::string, Dim>& map) const;
  bool BindSomehow(const Dim& a, const Dim& b);

  bool ignore_shapes_;
  std::map<std::string, Dim> to_b_;  // each a symbol
  std::map<std::string, Dim> to_a_;
  std::vector<Waiting> waiting_;
  std::size_t num_fresh_ = 0;
};

// How types of results of nodes are matched: they follow from the operators, so that one which is
// not stated is no difference, unless strict_types asks.
inline SymbolMap::Unknown UnknownResult(const CompareOptions& options) {
  return options.strict_types ? SymbolMap::Unknown::kDiffers : SymbolMap::Unknown::kFits;
}

// Replaces the symbols of one model by numbers in order of first meeting: "#0", "#1", … .
class SymbolNumbers {
 public:
  explicit SymbolNumbers(bool ignore_shapes) : ignore_shapes_(ignore_shapes) {}
  std::string Text(const Type& type);

 private:
  Type Renamed(const Type& type);

  bool ignore_shapes_;
  std::map<std::string, Dim> numbers_;
};

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_SYMBOL_MAP_H_

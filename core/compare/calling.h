// SPDX-License-Identifier: Apache-2.0
// The parts of a model around its graphs: heads, entries, calling conventions.
#ifndef DRAGOMAN_CORE_COMPARE_CALLING_H_
#define DRAGOMAN_CORE_COMPARE_CALLING_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/model.h"

namespace dragoman::compare {

// Equal levels, dialects and versions of operator sets, so that source graphs compare as such.
bool SameVocabulary(const Model& a, const Model& b);

struct HeadDifference {
  std::string reason;
  std::string expected;
  std::string found;
};

// Levels; numbers of entries and states; at the source level dialects and versions of operator
// sets, at the common level versions of those that foreign operators come from.
std::optional<HeadDifference> CompareModelHeads(const Model& a, const Model& b, Level level);
// Attributes and their defaults; at the source level versions of operator sets.
std::optional<HeadDifference> CompareFunctionHeads(const Function& a, const Function& b,
                                                   Level level);

// Entries by name if both models have the same names, else by position. Both have equally many.
std::vector<std::pair<const Entry*, const Entry*>> EntryPairs(const Model& a, const Model& b);
// Equal structures of arguments and results (only keys of dicts count of the names), and equal
// state bindings in any order.
bool SameConvention(const Entry& a, const Entry& b);

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_CALLING_H_

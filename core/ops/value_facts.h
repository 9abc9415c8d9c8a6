// SPDX-License-Identifier: Apache-2.0
// What the formula of an operator says of the numbers that it gives, for those who ask what values
// may be: a row an operator.
#ifndef DRAGOMAN_CORE_OPS_VALUE_FACTS_H_
#define DRAGOMAN_CORE_OPS_VALUE_FACTS_H_

#include <string_view>

#include "core/ir/graph.h"

namespace dragoman {

struct ValueFacts {
  bool ends_zeros = false;    // zeros of either sign give one number, or zeros
  bool has_least = false;     // the results have a lower bound
  bool stays_near = false;    // they are at most as far from 0 as the operand, or as 2
  double low = 0, high = 0;   // of any number they lie between these, if they differ
  bool of_infinities = true;  // so do those of infinities, which else are NaN

  bool is_between() const { return low < high; }
};

// Operators without a row say nothing of the kind.
const ValueFacts& ValueFactsOf(const Node& node);
// Of the operator of that label (OpDef::Label).
const ValueFacts& ValueFactsOf(std::string_view label);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_VALUE_FACTS_H_

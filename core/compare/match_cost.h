// SPDX-License-Identifier: Apache-2.0
// How long a list of edits matches stand for.
#ifndef DRAGOMAN_CORE_COMPARE_MATCH_COST_H_
#define DRAGOMAN_CORE_COMPARE_MATCH_COST_H_

#include <cstddef>
#include <cstdint>

#include "core/compare/graph_side.h"

namespace dragoman::compare {

// An edit in the units of costs. Differing contents of a weight cost less: a weight that training
// changed is no reason to pair nodes otherwise.
inline constexpr std::int64_t kEditCost = 16, kContentsCost = 2;

// How many values after unmatched nodes are tried as the former source of an edge.
inline constexpr std::size_t kMaxBehind = 32;

// The cost of the partners of all entries: unmatched nodes; other operators and attributes,
// operands and outputs of matched ones. An operand that unmatched nodes explain costs nothing, as
// in the list. O(e) in the edges, of which those of subgraphs' outputs are not counted.
std::int64_t CostOfMatches(const GraphSide& a, const GraphSide& b);

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_MATCH_COST_H_

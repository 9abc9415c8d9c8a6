// SPDX-License-Identifier: Apache-2.0
// Pairs the nodes of two graphs by the cheapest alignment of their orders.
#ifndef DRAGOMAN_CORE_COMPARE_CHEAPEST_ALIGNMENT_H_
#define DRAGOMAN_CORE_COMPARE_CHEAPEST_ALIGNMENT_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/compare/graph_side.h"

namespace dragoman::compare {

// Pairs of nodes of one operator that the cheapest alignment of two topological orders makes: that
// of `a`, and one of `b` that follows the partners there are. Costs are those of match_cost.h as
// far as a pair shows them, without edges. Where equal blocks repeat and several of them changed,
// each by itself looks like another one's counterpart; only the sum over the chain shows which is.
// `cost` bounds how far the orders may drift apart. Empty: they drift further than the table of
// costs may be wide.
std::vector<std::pair<std::int64_t, std::int64_t>> CheapestAlignment(const GraphSide& a,
                                                                     const GraphSide& b,
                                                                     std::int64_t cost);

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_CHEAPEST_ALIGNMENT_H_

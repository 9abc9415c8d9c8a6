// SPDX-License-Identifier: Apache-2.0
// Pairs nodes by their place in the order of both graphs.
#ifndef DRAGOMAN_CORE_COMPARE_ALIGN_ORDERS_H_
#define DRAGOMAN_CORE_COMPARE_ALIGN_ORDERS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/compare/graph_side.h"

namespace dragoman::compare {

// Unmatched nodes of either side that a longest common subsequence pairs, between each two matched
// pairs that stand in the same order on both sides. Nodes are alike there if operator, attributes
// and constants are, whatever the contents of weights. This is how chains between two changes are
// found, where equal blocks repeat. Gaps that differ in more than some hundred nodes are left out.
std::vector<std::pair<std::int64_t, std::int64_t>> AlignOrders(const GraphSide& a,
                                                               const GraphSide& b);

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_ALIGN_ORDERS_H_

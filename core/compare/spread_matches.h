// SPDX-License-Identifier: Apache-2.0
// Pairs nodes by their matched neighbours.
#ifndef DRAGOMAN_CORE_COMPARE_SPREAD_MATCHES_H_
#define DRAGOMAN_CORE_COMPARE_SPREAD_MATCHES_H_

#include <cstdint>
#include <span>
#include <utility>

#include "core/compare/graph_side.h"

namespace dragoman::compare {

// Which pairs a spread may make: nodes of one operator; or of two, which then must have the same
// neighbours on both sides, so that one replaced the other.
enum class SpreadTo { kSameOp, kReplacedOp };

// Pairs unmatched nodes, the best supported ones first, and goes on from each new pair. What
// supports a pair, or speaks against it: matched producers and readers, constants, what the nodes
// compute, what uses them, what surrounds them, attributes, names. Starts from the matched
// neighbours of all unmatched nodes, and from `guesses`, pairs that need no matched neighbour. O(e
// log e) in the edges of unmatched nodes; of the readers of a value that many nodes read, those
// alike are paired in their order.
void SpreadMatches(GraphSide& a, GraphSide& b, SpreadTo to,
                   std::span<const std::pair<std::int64_t, std::int64_t>> guesses = {});

// Exchanges partners where the readers of a node ask for another one and no evidence is lost by it:
// twin branches that were matched crosswise before what lies below them was known.
void RepairMatches(GraphSide& a, GraphSide& b);

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_SPREAD_MATCHES_H_

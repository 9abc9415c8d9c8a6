// SPDX-License-Identifier: Apache-2.0
// Which node of one graph became which node of another.
#ifndef DRAGOMAN_CORE_COMPARE_MATCH_NODES_H_
#define DRAGOMAN_CORE_COMPARE_MATCH_NODES_H_

#include "core/compare/graph_side.h"

namespace dragoman::compare {

// Sets the partners of both sides, one to one; the steps are listed in diff.h.
void MatchNodes(GraphSide& a, GraphSide& b);

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_MATCH_NODES_H_

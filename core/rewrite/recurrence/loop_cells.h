// SPDX-License-Identifier: Apache-2.0
// Cells in a loop that cannot become operators over sequences, since what an iteration reads
// follows from the iterations before it, or since an iteration may end the loop: as in greedy
// decoding.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_LOOP_CELLS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_LOOP_CELLS_H_

#include <vector>

#include "core/rewrite/pass_context.h"
#include "core/rewrite/recurrence/cell_chain.h"

namespace dragoman {

// Those of `cells`, which lie in `graph`, the body of a loop or a branch of a condition in one,
// whose states are the loop's: what the loop passes on is the new state, or on the other side of a
// condition anything else. None where the loop runs over sequences that are known before it
// (open_steps.h).
std::vector<CellChain> FindLoopCells(const Graph& graph, const std::vector<RecurrentCell>& cells,
                                     AffineForms& forms, const PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_LOOP_CELLS_H_

// SPDX-License-Identifier: Apache-2.0
// Initial states that are constants.
//
// With one sequence in a batch, a constant state looks like a bias: it varies along the features
// only, and takes part in the first cell's sums as biases do. What distinguishes them is that no
// further cell reads it.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_CONSTANT_STATES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_CONSTANT_STATES_H_

#include <unordered_set>
#include <vector>

#include "core/rewrite/recurrence/cell_chain.h"
#include "core/rewrite/recurrence/cell_nodes.h"

namespace dragoman {

// The constants that may be states of a step before `chains`: of a state's sizes, read on
// the way to the states with which a chain begins, and not by the first cell of any chain.
std::unordered_set<const Value*> FindConstantStates(const std::vector<CellChain>& chains,
                                                    AffineForms& forms,
                                                    const NodePositions& positions);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_CONSTANT_STATES_H_

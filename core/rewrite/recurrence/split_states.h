// SPDX-License-Identifier: Apache-2.0
// States of a loop that are several in one: those of all layers stacked along an axis of their own
// or kept in a list, the hidden and the cell state side by side, or the states of all iterations so
// far.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_SPLIT_STATES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_SPLIT_STATES_H_

#include "core/rewrite/recurrence/loop_view.h"

namespace dragoman {

// Where a state is concatenated at the end of each iteration and the iterations read parts of it
// only, each of these parts becomes a state of its own; and so does each element of a list that has
// as many at the end of each iteration as at its begin, and the last element of a list to which
// each iteration adds one. Returns the node that is now in place of `loop.node`, or nullptr if
// there is no such state.
Result<Node*> SplitStates(const LoopView& loop, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_SPLIT_STATES_H_

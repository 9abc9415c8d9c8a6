// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN of one step each, in a loop or in a row, as cells: what the recognition of
// recurrences reads.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_OPEN_STEPS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_OPEN_STEPS_H_

#include <unordered_set>

#include "core/rewrite/recurrence/loop_view.h"

namespace dragoman {

// Takes apart the operators of one step in the body of `loop` that pass their states to themselves
// in the next iteration, or do so as far as a sequence of the batch goes, as long as no iteration's
// input depends on a state. Returns whether there was one.
Result<bool> OpenSteps(const LoopView& loop, PassContext& context);

// The values in the body of `loop` that follow from a state.
std::unordered_set<const Value*> FollowStates(const LoopView& loop, const PassContext& context);

// The same of operators in `graph` with equal weights, each of which reads the states of the one
// before.
Result<bool> OpenSteps(Graph& graph, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_OPEN_STEPS_H_

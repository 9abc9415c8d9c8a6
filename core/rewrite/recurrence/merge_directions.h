// SPDX-License-Identifier: Apache-2.0
// Two operators that read one sequence forwards and backwards become a bidirectional one.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_MERGE_DIRECTIONS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_MERGE_DIRECTIONS_H_

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Merges every pair of LSTM (dragoman.LSTM as well), GRU or RNN of `graph` that has the same input
// (but for initial states, twin_inputs.h), constant weights of the same sizes, and the same
// attributes but for the direction and the activations. Returns whether there was one.
Result<bool> MergeDirections(Graph& graph, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_MERGE_DIRECTIONS_H_

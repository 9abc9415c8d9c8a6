// SPDX-License-Identifier: Apache-2.0
// Operators that read a sequence which was reversed before go the other way instead.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_REVERSED_SEQUENCES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_REVERSED_SEQUENCES_H_

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Turns every LSTM (dragoman.LSTM as well), GRU and RNN of one direction that reads a reversed
// sequence (reversal.h), whose result is reversed then; and removes reversals of what was reversed
// already. Where only the beginnings of sequences are reversed, the operator has these lengths
// itself: it gives zeros after them, which stay in place. Returns whether there was one.
Result<bool> TurnReversedSequences(Graph& graph, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_REVERSED_SEQUENCES_H_

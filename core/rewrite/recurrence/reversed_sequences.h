// Operators that read a sequence which was reversed before go the other way instead.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_REVERSED_SEQUENCES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_REVERSED_SEQUENCES_H_

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Turns every LSTM (dragoman.LSTM as well), GRU and RNN of one direction and without lengths that
// reads a reversed sequence, whose result is reversed then; and removes reversals of what was
// reversed already. A reversal is a Slice with step -1 of all elements, or a Gather of all from the
// last to the first. Returns whether there was one.
Result<bool> TurnReversedSequences(Graph& graph, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_REVERSED_SEQUENCES_H_

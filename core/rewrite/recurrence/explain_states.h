// Why cells that are there do not become an operator: what passes between them is no plain state.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_EXPLAIN_STATES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_EXPLAIN_STATES_H_

#include <vector>

#include "core/analysis/recurrent_cell.h"
#include "core/rewrite/pass_context.h"

namespace dragoman {

// Tells of LSTM cells whose new cell state, hidden state or projection is clipped before the next
// cell reads it, and not as dragoman.LSTM does it: by bounds that are no [-b, b], or a cell state
// that the hidden state reads unclipped.
void ExplainClippedStates(const std::vector<RecurrentCell>& cells, AffineForms& forms,
                          PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_EXPLAIN_STATES_H_

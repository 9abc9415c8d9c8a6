// SPDX-License-Identifier: Apache-2.0
// Why cells that are there do not become an operator: what passes between them is not a plain
// state.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_EXPLAIN_STATES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_EXPLAIN_STATES_H_

#include <string>
#include <vector>

#include "core/analysis/recurrent_cell.h"
#include "core/rewrite/pass_context.h"

namespace dragoman {

// Explains LSTM cells whose new cell state, hidden state or projection is clipped before the next
// cell reads it, and not as dragoman.LSTM does it: by bounds that are no [-b, b], or a cell state
// that the hidden state reads unclipped.
void ExplainClippedStates(const std::vector<RecurrentCell>& cells, AffineForms& forms,
                          PassContext& context);

// What scales the new and the old state where `next`, the state that passes on, mixes the two by
// one factor a sequence, as a mask of floats; nullptr: nothing does.
const Value* FindMixingFactor(const Value& next);
// "%m, which is not known to be 0 or 1, mixes new and old states"
std::string MixesStates(const Value& factor);

// Explains `cells`, none of which is part of a chain, whose old state is mixed so of two others.
void ExplainMixedStates(const std::vector<const RecurrentCell*>& cells, AffineForms& forms,
                        PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_EXPLAIN_STATES_H_

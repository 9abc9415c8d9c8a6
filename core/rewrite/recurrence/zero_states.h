// SPDX-License-Identifier: Apache-2.0
// Initial states of sequence operators that are zeros, which is what an operator without them has.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_ZERO_STATES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_ZERO_STATES_H_

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Removes such operands, unless they give the size of the batch, or belong to one step of many.
bool RemoveZeroStates(Graph& graph, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_ZERO_STATES_H_

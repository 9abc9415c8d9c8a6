// SPDX-License-Identifier: Apache-2.0
// Inputs that are projected before the operator, as decomposed programs spell a layer: the products
// of all steps with the input weights first, the gates' parts of which the cells read.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_PROJECTED_INPUTS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_PROJECTED_INPUTS_H_

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Operators whose input weights only choose among the features of a dragoman.Linear that nothing
// else reads get the weights of that, and its input. No number is computed anew.
Result<bool> TakeProjections(Graph& graph, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_PROJECTED_INPUTS_H_

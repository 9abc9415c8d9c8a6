// SPDX-License-Identifier: Apache-2.0
// Sequences of run-time length, for targets that have tensors only.
#ifndef DRAGOMAN_CORE_REWRITE_FORMS_STACK_SEQUENCES_H_
#define DRAGOMAN_CORE_REWRITE_FORMS_STACK_SEQUENCES_H_

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// A sequence whose elements all have one element type and the same sizes becomes one tensor of them
// along a new first axis, wherever it goes (Loop and If carry it): inserting is joining, reading a
// place a Gather. One that an entry takes or gives, or whose elements differ, stays.
Status StackSequences(Graph& entry);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_FORMS_STACK_SEQUENCES_H_

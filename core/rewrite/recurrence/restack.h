// SPDX-License-Identifier: Apache-2.0
// Puts steps that were concatenated together again: a Concat of the hidden states of all steps is
// the sequence that the fused operator yields.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_RESTACK_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_RESTACK_H_

#include "core/rewrite/recurrence/sequence_steps.h"

namespace dragoman {

// What can replace `concat`, inserted before it, if its operands are steps of sequences, at least
// one of them of a fused operator; else nullptr.
Result<Value*> RestackSteps(Node& concat, AffineForms& forms, const FusedValues& fused,
                            PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_RESTACK_H_

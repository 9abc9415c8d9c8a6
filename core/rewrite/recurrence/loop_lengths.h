// SPDX-License-Identifier: Apache-2.0
// Masks of the iterations of a loop that show how long the sequences of the batch are.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_LOOP_LENGTHS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_LOOP_LENGTHS_H_

#include "core/rewrite/recurrence/loop_view.h"
#include "core/rewrite/recurrence/masked_states.h"

namespace dragoman {

// The lengths, integers, of which `mask` is step < length; iterations walk the steps in order or,
// if `reverse`, from the last to the first. nullptr: it is something else.
Value* LengthsOf(const StepMask& mask, const LoopView& loop, bool reverse, AffineForms& forms);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_LOOP_LENGTHS_H_

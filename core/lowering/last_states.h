// SPDX-License-Identifier: Apache-2.0
// The order of an entry's inputs and outputs.
#ifndef DRAGOMAN_CORE_LOWERING_LAST_STATES_H_
#define DRAGOMAN_CORE_LOWERING_LAST_STATES_H_

#include "core/ir/model.h"

namespace dragoman {

// Puts the inputs and outputs of States after all others, for files that have them anywhere. The
// entry is one without structured arguments and results.
void PutStatesLast(Entry& entry);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_LAST_STATES_H_

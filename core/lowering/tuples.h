// SPDX-License-Identifier: Apache-2.0
// Tuples whose nesting a program of a file controls.
#ifndef DRAGOMAN_CORE_LOWERING_TUPLES_H_
#define DRAGOMAN_CORE_LOWERING_TUPLES_H_

#include <vector>

#include "core/lowering/abstract.h"
#include "core/support/result.h"

namespace dragoman {

// A tuple that is destroyed without recursion, however deep those in it nest that were made so too.
Tuple NestedTuple(std::vector<Abstract> items);

// The same. Errors: `items` nest 10,000 deep.
Result<Abstract> BoundedTuple(std::vector<Abstract> items);

// Whether the value, or what a tuple holds, was reported as unsupported.
bool HoldsPoison(const Abstract& value);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_TUPLES_H_

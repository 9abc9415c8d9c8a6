// SPDX-License-Identifier: Apache-2.0
// Division of integer tensors as expressions that hold for every pair of elements, the extremes of
// their type too: nothing that is computed on the way leaves it.
#ifndef DRAGOMAN_CORE_LOWERING_DIVISION_H_
#define DRAGOMAN_CORE_LOWERING_DIVISION_H_

#include "core/lowering/composer.h"

namespace dragoman {

// Whether inference knows that no element is negative.
bool IsNeverNegative(Composer& c, const Value* value);

// a / b rounded down. Without elements of b that are 0; the least number by -1 wraps to itself.
Value* FloorQuotientOfIntegers(Composer& c, Value* a, Value* b);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_DIVISION_H_

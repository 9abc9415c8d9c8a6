// SPDX-License-Identifier: Apache-2.0
// What floating numbers consist of.
#ifndef DRAGOMAN_CORE_LOWERING_NUMBER_PARTS_H_
#define DRAGOMAN_CORE_LOWERING_NUMBER_PARTS_H_

#include "core/lowering/composer.h"

namespace dragoman {

// floor(log2 |x|) for x of float64 that is finite and not 0.
Value* Exponent(Composer& c, Value* x);

// The number next to `x` in the direction of `to`, which are both of float64, float32 or bfloat16.
Value* NextAfter(Composer& c, Value* x, Value* to);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_NUMBER_PARTS_H_

// SPDX-License-Identifier: Apache-2.0
// Shifts of integers of any type.
#ifndef DRAGOMAN_CORE_LOWERING_SHIFT_H_
#define DRAGOMAN_CORE_LOWERING_SHIFT_H_

#include "core/lowering/composer.h"

namespace dragoman {

// `x` shifted by `by` bits, which are integers; to the right, the sign stays.
Value* ShiftBits(Composer& c, Value* x, Value* by, bool left);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_SHIFT_H_

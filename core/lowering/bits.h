// SPDX-License-Identifier: Apache-2.0
// The bits of elements as those of another type.
#ifndef DRAGOMAN_CORE_LOWERING_BITS_H_
#define DRAGOMAN_CORE_LOWERING_BITS_H_

#include "core/lowering/composer.h"

namespace dragoman {

// The integers without sign that are of the size of `type`, 8 to 64 bits.
DType UnsignedOf(DType type);

// The bits of `x`, integers or floats, as elements of type `to`. Where those are smaller, a new
// last axis holds the parts of each element, the lowest bits first; where they are larger, each is
// made of all elements along the last axis, which vanishes. Fails for types of less than 8 bits,
// bool and strings, and for a last axis that does not fit.
Value* BitsAs(Composer& c, Value* x, DType to);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_BITS_H_

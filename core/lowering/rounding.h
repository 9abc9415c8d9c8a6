// SPDX-License-Identifier: Apache-2.0
// Roundings that ai.onnx has no operator for.
#ifndef DRAGOMAN_CORE_LOWERING_ROUNDING_H_
#define DRAGOMAN_CORE_LOWERING_ROUNDING_H_

#include "core/lowering/composer.h"

namespace dragoman {

// To the nearest integer, halves away from zero. The sign stays, that of -0 too, as C's `round`
// keeps it.
Value* RoundHalvesAway(Composer& c, Value* x);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_ROUNDING_H_

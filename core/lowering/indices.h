// SPDX-License-Identifier: Apache-2.0
// Indices as other formats prepare them.
#ifndef DRAGOMAN_CORE_LOWERING_INDICES_H_
#define DRAGOMAN_CORE_LOWERING_INDICES_H_

#include <cstdint>

#include "core/lowering/composer.h"

namespace dragoman {

// The i of where(i < 0, i + size, i), of the same element type: the common operators count negative
// indices from the end themselves. Else `indices`. For operators that say nothing of indices that
// are negative still.
Value* WithoutRaising(Composer& c, Value* indices, std::int64_t size);
// Along `axis` of x.
Value* WithoutRaising(Composer& c, Value* indices, const Value* x, int axis);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_INDICES_H_

// SPDX-License-Identifier: Apache-2.0
// The generator of runtime/kernels/philox.h, Philox4x32-10, as operators. Words of 32 bits are
// int64 tensors, which broadcast to one another: no product or sum of theirs leaves 64 bits.
#ifndef DRAGOMAN_CORE_LOWERING_PHILOX_H_
#define DRAGOMAN_CORE_LOWERING_PHILOX_H_

#include <array>

#include "core/lowering/composer.h"

namespace dragoman {

using PhiloxWords = std::array<Value*, 4>;
using PhiloxKeyWords = std::array<Value*, 2>;

// The block of this counter.
PhiloxWords PhiloxBlock(Composer& c, PhiloxWords counter, PhiloxKeyWords key);
// The counter, whose first word is the lowest, after `count` (int64, not negative) more blocks.
PhiloxWords PhiloxSkip(Composer& c, const PhiloxWords& counter, Value* count);

// Both words of 64 bits (int64 or uint64), the lower one first, and back as `type`.
std::array<Value*, 2> WordsOf(Composer& c, Value* x);
Value* FromWords(Composer& c, Value* low, Value* high, DType type);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_PHILOX_H_

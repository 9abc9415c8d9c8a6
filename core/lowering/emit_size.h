// SPDX-License-Identifier: Apache-2.0
// A size that inference expresses by others, computed from values that have those.
#ifndef DRAGOMAN_CORE_LOWERING_EMIT_SIZE_H_
#define DRAGOMAN_CORE_LOWERING_EMIT_SIZE_H_

#include <span>

#include "core/ir/dim.h"
#include "core/lowering/composer.h"

namespace dragoman {

// `size` as int64 of rank 0, by what the axes of `values` are; nullptr: they do not determine it,
// or `c` has failed. What was appended then is not read.
Value* EmitSize(Composer& c, const Dim& size, std::span<Value* const> values);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_EMIT_SIZE_H_

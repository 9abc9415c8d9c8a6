// SPDX-License-Identifier: Apache-2.0
// Constants of which each step of an unrolled recurrence reads its own: embeddings of positions,
// scales, the number of the step; and what is computed from these, as masks are.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_STEP_CONSTANTS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_STEP_CONSTANTS_H_

#include <span>
#include <vector>

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Whether both are constants with the same elements.
bool SameConstant(const Value* a, const Value* b);

// Whether both are constants of one element type, not strings, and of equal sizes, of which one is
// more than 1 at most: matrices that differ from step to step are weights of other layers.
bool MayStack(const Value* a, const Value* b);

// Whether both are computed by the same few operators, most of them elementwise, from constants
// that may be stacked and from values that are the same for both, which are added to `shared`. So
// they have equal types.
bool AreAlike(Value* a, Value* b, std::vector<Value*>& shared);

// What `values` hold, one after the other along a new axis 0. MayStack holds for any two.
Tensor StackConstants(std::span<const Value* const> values);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_STEP_CONSTANTS_H_

// Constants of which each step of an unrolled recurrence reads its own: embeddings of positions,
// scales, the number of the step.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_STEP_CONSTANTS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_STEP_CONSTANTS_H_

#include <span>

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Whether both are constants of one element type, not strings, and of equal sizes, of which one is
// more than 1 at most: matrices that differ from step to step are weights of other layers.
bool MayStack(const Value* a, const Value* b);

// What `values` hold, one after the other along a new axis 0. MayStack holds for any two.
Tensor StackConstants(std::span<const Value* const> values);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_STEP_CONSTANTS_H_

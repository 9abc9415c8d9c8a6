// SPDX-License-Identifier: Apache-2.0
// Operators that take one element, or one column, after the other: loops that a lowering writes as
// an expression.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_STEPS_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_STEPS_H_

#include <functional>
#include <vector>

#include "core/lowering/composer.h"

namespace dragoman::torch {

using Values = std::vector<Value*>;

// Step number `step` (int64, 0-d): changes the state, and gives what is kept of the step.
using Step = std::function<Values(Composer& c, Value* step, Values& state)>;

// `count` steps (int64, 0-d): the last state, and what each kept, of all steps along a new first
// axis. Each value of the state has the same type in all steps.
Values RunSteps(Composer& c, Value* count, const Values& first, const Step& run);

// (…, steps) of what steps kept, (steps, …).
Value* StepsLast(Composer& c, Value* kept);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_STEPS_H_

// SPDX-License-Identifier: Apache-2.0
// Runs __setstate__ of a class on a stored state.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_RUN_SETSTATE_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_RUN_SETSTATE_H_

#include "core/support/result.h"
#include "importers/torch/container/restore_object.h"

namespace dragoman::torch {

// The attributes that __setstate__(self, state) has assigned when it returns, in slot order. A run
// is bounded by kMaxSetStateSteps expressions and iterations, of which a call of an operator, which
// takes a millisecond, stands for kStepsOfOperator. Errors: as AttributesOf.
inline constexpr int kMaxSetStateSteps = 100'000;
inline constexpr int kStepsOfOperator = 50;
Result<StoredAttributes> RunSetState(const StoredObject& object, Program& program, StoredHeap& heap,
                                     RestoreContext& context);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_RUN_SETSTATE_H_

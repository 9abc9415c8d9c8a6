// SPDX-License-Identifier: Apache-2.0
// Masks that leave out any steps of a sequence, where ONNX's operators leave out those at its end.
//
// With the steps that count moved to the front, in their order, such a sequence is as long as there
// are such steps; the state after a step is that after the last one that counts up to it.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_PACKED_STEPS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_PACKED_STEPS_H_

#include "core/rewrite/recurrence/layout.h"

namespace dragoman {

struct PackedSteps {
  Value* x = nullptr;        // (steps, batch, features), those that count first
  Value* lengths = nullptr;  // i32 (batch): how many count
  Value* mask = nullptr;     // bool (steps, batch, 1): whether a step counts
  Value* counts = nullptr;   // i64 (steps, batch, 1): how many count up to a step, itself included
};

// `x` (steps, batch, features) with `mask` (steps, batch, 1), bool.
Result<PackedSteps> PackSteps(Value* x, Value* mask, LayoutBuilder& layout, Node& position,
                              PassContext& context);

// The states after all steps: of `given` (steps, batch, features), those after packed steps, or
// `initial` (1, batch, features; nullptr: zeros) where none has counted yet.
Result<Value*> UnpackStates(const PackedSteps& packed, Value* given, Value* initial,
                            LayoutBuilder& layout, Node& position, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_PACKED_STEPS_H_

// SPDX-License-Identifier: Apache-2.0
// What a weight is for the module that keeps it.
#ifndef DRAGOMAN_CORE_IR_WEIGHT_ROLE_H_
#define DRAGOMAN_CORE_IR_WEIGHT_ROLE_H_

#include "core/ir/graph.h"

namespace dragoman {

// Whether the source keeps the constant apart from what training changes, as PyTorch keeps buffers.
// False where the source does not say.
bool IsBuffer(const Value& constant);
void MarkBuffer(Value& constant);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_WEIGHT_ROLE_H_

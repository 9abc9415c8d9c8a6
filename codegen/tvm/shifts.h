// SPDX-License-Identifier: Apache-2.0
// TVM leaves open what a shift by all bits of a number, or by more, gives.
#ifndef DRAGOMAN_CODEGEN_TVM_SHIFTS_H_
#define DRAGOMAN_CODEGEN_TVM_SHIFTS_H_

#include "core/ir/graph.h"

namespace dragoman::tvm {

// Whether the BitShift `shift` is known to shift by fewer bits than its numbers have.
bool ShiftsWithin(const Node& shift);

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_SHIFTS_H_

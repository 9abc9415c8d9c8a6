// SPDX-License-Identifier: Apache-2.0
// Constants of integers of less than a byte, which TVM has not.
#ifndef DRAGOMAN_CODEGEN_TVM_WIDEN_CONSTANTS_H_
#define DRAGOMAN_CODEGEN_TVM_WIDEN_CONSTANTS_H_

#include "core/ir/graph.h"

namespace dragoman::tvm {

// Constants of i4, u4, i2 and u2 are those of i8 and u8 with the same elements where only
// operators that take any integers read them, as DequantizeLinear does, or that move elements,
// whose results are of that type then. In `entry` and its bodies.
void WidenConstants(Graph& entry);

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_WIDEN_CONSTANTS_H_

// SPDX-License-Identifier: Apache-2.0
// Functions of one value. TVM 0.19 compiles an operator on tensors of open sizes only if it has a
// shape function, which some lack: they are said by others that have one.
#ifndef DRAGOMAN_CODEGEN_RELAY_OPS_UNARY_H_
#define DRAGOMAN_CODEGEN_RELAY_OPS_UNARY_H_

#include <string_view>

#include "codegen/relay/relay_op.h"

namespace dragoman::relay::emit {

// Operator `name` of `x`, which is of element type `dtype`.
Value* Unary(RelayOp& op, std::string_view name, Value* x, DType dtype);

// The elements of `x` along `axis`, of size `size`, from the last to the first.
Value* Reversed(RelayOp& op, Value* x, const Dim& size, std::int64_t axis);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_OPS_UNARY_H_

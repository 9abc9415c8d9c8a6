// SPDX-License-Identifier: Apache-2.0
// Floats as whole numbers.
#ifndef DRAGOMAN_CODEGEN_RELAY_OPS_ROUNDING_H_
#define DRAGOMAN_CODEGEN_RELAY_OPS_ROUNDING_H_

#include "codegen/relay/relay_op.h"

namespace dragoman::relay::emit {

// `x` of a floating-point type, halves to even: Relay's round takes them away from zero.
Value* RoundedToEven(RelayOp& op, Value* x, DType dtype);
// saturate(round_to_even(`x`) + `zero`) as `to`, an integer of at most 16 bits. `x` is f32, `zero`
// nullptr or of type `to`.
Value* Saturated(RelayOp& op, Value* x, Value* zero, DType to);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_OPS_ROUNDING_H_

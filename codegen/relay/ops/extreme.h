// SPDX-License-Identifier: Apache-2.0
// Maxima and minima, and their places, of elements all of which may be infinite
// (codegen/tvm/extremes.h).
#ifndef DRAGOMAN_CODEGEN_RELAY_OPS_EXTREME_H_
#define DRAGOMAN_CODEGEN_RELAY_OPS_EXTREME_H_

#include <cstdint>
#include <functional>

#include "codegen/relay/relay_op.h"

namespace dragoman::relay::emit {

// The maximum of operand 0, or the minimum; `reduce` takes it of a value.
Value* Extreme(RelayOp& op, bool max, const std::function<Value*(Value*)>& reduce);

// The first place of it along `axis`, or the last one; int64.
Value* ExtremePlace(RelayOp& op, bool max, std::int64_t axis, bool keepdims, bool last);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_OPS_EXTREME_H_

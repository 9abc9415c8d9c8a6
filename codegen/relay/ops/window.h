// SPDX-License-Identifier: Apache-2.0
// Sliding windows as Relay writes them: layouts and padding.
#ifndef DRAGOMAN_CODEGEN_RELAY_OPS_WINDOW_H_
#define DRAGOMAN_CODEGEN_RELAY_OPS_WINDOW_H_

#include "codegen/relay/relay_op.h"
#include "codegen/tvm/window_pads.h"

namespace dragoman::relay::emit {

using tvm::OrFill;

// Of operand 0, from 1 to 3. Errors: another number.
Result<std::int64_t> SpatialAxes(const RelayOp& op);

// The pads, begin… then end… as ONNX and Relay both order them, automatic padding resolved. Errors:
// automatic padding of a size that only run time knows.
Result<Ints> PadsOf(const RelayOp& op, std::int64_t spatial, const Ints& kernel);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_OPS_WINDOW_H_

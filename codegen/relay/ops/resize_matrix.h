// SPDX-License-Identifier: Apache-2.0
#ifndef DRAGOMAN_CODEGEN_RELAY_OPS_RESIZE_MATRIX_H_
#define DRAGOMAN_CODEGEN_RELAY_OPS_RESIZE_MATRIX_H_

#include "codegen/relay/relay_op.h"

namespace dragoman::relay::emit {

// A Resize as products with matrices of weights.
Emitted EmitResizeByMatrix(RelayOp& op);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_OPS_RESIZE_MATRIX_H_

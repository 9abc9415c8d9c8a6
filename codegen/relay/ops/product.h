// SPDX-License-Identifier: Apache-2.0
// Products of matrices and of stacks of them.
#ifndef DRAGOMAN_CODEGEN_RELAY_OPS_PRODUCT_H_
#define DRAGOMAN_CODEGEN_RELAY_OPS_PRODUCT_H_

#include <functional>

#include "codegen/relay/relay_op.h"

namespace dragoman::relay::emit {

// What `product` makes of x, whose sizes are `shape`, with all axes but the last as one; apart
// again, as `result`. Errors: the last sizes are known at run time only.
Result<Value*> ProductOfRows(RelayOp& op, Value* x, const Shape& shape, const Shape& result,
                             const std::function<Value*(Value* rows)>& product);

// a · b of any ranks from 1 on, as in MatMul, which has the sizes `result`.
Result<Value*> ProductOfStacks(RelayOp& op, Value* a, const Shape& a_shape, Value* b,
                               const Shape& b_shape, Shape result);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_OPS_PRODUCT_H_

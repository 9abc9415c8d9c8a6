// SPDX-License-Identifier: Apache-2.0
// Sizes as values of Relay, and shapes that only run time knows whole.
#ifndef DRAGOMAN_CODEGEN_RELAY_OPS_SIZES_H_
#define DRAGOMAN_CODEGEN_RELAY_OPS_SIZES_H_

#include "codegen/relay/relay_op.h"

namespace dragoman::relay::emit {

// All sizes of `x` as an int64 vector.
Value* SizesOf(RelayOp& op, Value* x);
// Size `axis` of `x`, which is `size`, as a scalar of element type `dtype`.
Value* SizeOf(RelayOp& op, Value* x, const Dim& size, std::int64_t axis, DType dtype = DType::kI64);
// From a start to before a stop by a step, scalars of that element type.
Value* Arange(RelayOp& op, Values bounds, DType dtype);
// 0 … n - 1 as int64, for a scalar.
Value* Places(RelayOp& op, Value* count);
// `x`, whose sizes are `from`, with the sizes `to`, which have as many elements: those that are
// equal in place are copied, one other may be open. Errors: more are known at run time only.
Result<Value*> ReshapeTo(RelayOp& op, Value* x, const Shape& from, const Shape& to);
// `x`, whose sizes are `sizes`, as a value of which TVM knows those that are known.
Value* State(RelayOp& op, Value* x, const Shape& sizes);
// `x` with the sizes that a vector holds: -1 is what is left. Of a tensor without elements whose
// other sizes differ in place, 0 is taken for the size there, as the operator has it.
Value* ReshapeBy(RelayOp& op, Value* x, Value* sizes);
// The vector `x` as (n, 1, …), with `after` axes of size 1.
Value* WithAxesBehind(RelayOp& op, Value* x, std::int64_t behind);
// Entries from `begin` to before `end` of a vector.
Value* Part(RelayOp& op, Value* vector, std::int64_t begin, std::int64_t end);
// Vectors, one after the other.
Value* Join(RelayOp& op, const Values& vectors);
// A vector with ones before it, `count` in all.
Value* WithOnesBefore(RelayOp& op, Value* vector, std::size_t length, std::size_t count);
Value* Transpose(RelayOp& op, Value* x, Ints axes);
// `x`, of that type and one element, as rank 0.
Value* AsScalar(RelayBuilder& builder, Value* x, const Type& type);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_OPS_SIZES_H_

// SPDX-License-Identifier: Apache-2.0
// Floats of 8 bits, as far as Relax has them. TVM shifts the bits of what it casts to them and from
// them, but neither saturates nor minds subnormal numbers, infinities and NaN.
#ifndef DRAGOMAN_CODEGEN_RELAX_OPS_FLOAT8_H_
#define DRAGOMAN_CODEGEN_RELAX_OPS_FLOAT8_H_

#include <string>

#include "codegen/relax/relax_op.h"

namespace dragoman::relax {

bool IsFloat8(DType dtype);

// `x` of element type `from`, an 8-bit float, bound as one of f32. TVM shifts the bits, and so
// takes infinities and NaN for numbers beyond the largest.
std::string FromFloat8(RelaxOp& op, const std::string& x, DType from);

// `x` of element type f64, of the rank of operand 0, as an expression of type `to`, an 8-bit float.
// What is too large becomes the largest number, or without `saturate` infinity or NaN. Errors: the
// rank is not known.
Expressions ToFloat8(RelaxOp& op, const std::string& x, DType to, bool saturate);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_OPS_FLOAT8_H_

// SPDX-License-Identifier: Apache-2.0
// Floats of 8 bits, as far as Relax has them. TVM rounds to them, but neither saturates nor minds
// subnormal numbers: what is cast is rounded before.
#ifndef DRAGOMAN_CODEGEN_RELAX_OPS_FLOAT8_H_
#define DRAGOMAN_CODEGEN_RELAX_OPS_FLOAT8_H_

#include <string>

#include "codegen/relax/relax_op.h"

namespace dragoman::relax {

bool IsFloat8(DType dtype);

// `x` of element type f64, of the rank of operand 0, as an expression of type `to`, an 8-bit float.
// What is too large becomes the largest number, or without `saturate` infinity or NaN. Errors: the
// rank is not known.
Expressions ToFloat8(RelaxOp& op, const std::string& x, DType to, bool saturate);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_OPS_FLOAT8_H_

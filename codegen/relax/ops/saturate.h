// SPDX-License-Identifier: Apache-2.0
// Floats as integers of a narrower range.
#ifndef DRAGOMAN_CODEGEN_RELAX_OPS_SATURATE_H_
#define DRAGOMAN_CODEGEN_RELAX_OPS_SATURATE_H_

#include <string>

#include "codegen/relax/relax_op.h"

namespace dragoman::relax {

// saturate(round_to_even(`x`) + `zero`) as an expression of element type `to`, an integer of at
// most 16 bits. `x` is f32 (or f64, which `from` says), `zero` is empty or of type `to`.
std::string Saturated(RelaxOp& op, const std::string& x, DType from, const std::string& zero,
                      DType to);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_OPS_SATURATE_H_

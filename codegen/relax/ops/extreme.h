// SPDX-License-Identifier: Apache-2.0
// Maxima and minima, and their places, of elements all of which may be infinite
// (codegen/tvm/extremes.h).
#ifndef DRAGOMAN_CODEGEN_RELAX_OPS_EXTREME_H_
#define DRAGOMAN_CODEGEN_RELAX_OPS_EXTREME_H_

#include <cstdint>
#include <functional>
#include <string>

#include "codegen/relax/relax_op.h"

namespace dragoman::relax {

// The maximum of operand 0, or the minimum; `reduce` gives the call that takes it of a tensor.
std::string Extreme(RelaxOp& op, bool max,
                    const std::function<std::string(const std::string&)>& reduce);

// The first place along `axis` of the maximum of `x`, which has the elements of operand 0.
std::string ExtremePlace(RelaxOp& op, bool max, const std::string& x, std::int64_t axis,
                         bool keepdims);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_OPS_EXTREME_H_

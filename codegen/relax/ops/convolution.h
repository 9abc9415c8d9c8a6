// SPDX-License-Identifier: Apache-2.0
// What convolutions of floats and of integers share.
#ifndef DRAGOMAN_CODEGEN_RELAX_OPS_CONVOLUTION_H_
#define DRAGOMAN_CODEGEN_RELAX_OPS_CONVOLUTION_H_

#include <cstddef>
#include <string>

#include "codegen/relax/relax_op.h"

namespace dragoman::relax {

// R.nn.conv of `x` and `weight`, which stand for operand 0 and operand `weight_operand`, by the
// attributes of the node. Errors: another number of spatial axes; sizes that padding needs.
Result<std::string> ConvolutionOf(RelaxOp& op, const std::string& x, const std::string& weight,
                                  std::size_t weight_operand);

// A vector as (1, C, 1, …) with the rank of the result.
Result<std::string> OverChannels(RelaxOp& op, const std::string& vector, const Type& type);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_OPS_CONVOLUTION_H_

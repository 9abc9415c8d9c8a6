// SPDX-License-Identifier: Apache-2.0
// Sizes that operands hold, and tensors that hold sizes.
#ifndef DRAGOMAN_EXPORTERS_PT2_OPS_SIZES_H_
#define DRAGOMAN_EXPORTERS_PT2_OPS_SIZES_H_

#include <cstddef>

#include "exporters/pt2/aten_op.h"

namespace dragoman::pt2 {

// Element `i` of integer operand `operand`: a number, an expression over sizes of tensors, or what
// the operand holds at run time.
Size SizeElement(const AtenOp& op, std::size_t operand, std::size_t i);

// The sizes as one int64 tensor. Errors: no tensor has one of them.
Emitted TensorOfSizes(const AtenOp& op, const Shape& shape);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_OPS_SIZES_H_

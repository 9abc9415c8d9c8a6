// SPDX-License-Identifier: Apache-2.0
// Where TVM divides integers by 0, or the least one by -1, the processor ends the process. A float
// constant of rank 0 that is 0 it refuses as a divisor, and of a product with one, or of a quotient
// of one, it makes 0, though NaN stays NaN.
#ifndef DRAGOMAN_CODEGEN_TVM_DIVISORS_H_
#define DRAGOMAN_CODEGEN_TVM_DIVISORS_H_

#include <cstddef>
#include <optional>

#include "core/ir/graph.h"

namespace dragoman::tvm {

// Whether the Div or Mod `division` is of floats, or known to divide by neither 0 nor -1. Otherwise
// emitters divide by 1 in place of these. x / 0 is defined as 0 and x / -1 is -x, which the product
// of that quotient and the divisor gives; both remainders are 0, as that of 1 is.
bool DividesWithin(const Node& division);

// Which operand of the Mul or Div `node` is such a zero. TVM leaves a vector of one zero alone.
std::optional<std::size_t> ScalarZero(const Node& node);
// Whether the result of `node`, with a vector in place of that operand, has one dimension too many.
bool IsOfScalars(const Node& node);

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_DIVISORS_H_

// SPDX-License-Identifier: Apache-2.0
// Where TVM divides integers by 0, or the least one by -1, the processor ends the process.
#ifndef DRAGOMAN_CODEGEN_TVM_DIVISORS_H_
#define DRAGOMAN_CODEGEN_TVM_DIVISORS_H_

#include "core/ir/graph.h"

namespace dragoman::tvm {

// Whether the Div or Mod `division` is of floats, or known to divide by neither 0 nor -1. Others
// are told apart: x / 0 is 0 and x / -1 is -x, so both are the product, and either rest is 0, as
// that of 1 is.
bool DividesWithin(const Node& division);

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_DIVISORS_H_

// SPDX-License-Identifier: Apache-2.0
// The few lines of C++ that use a generated program, to be pasted into another.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_USE_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_USE_H_

#include <string>

#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// The include, and statements that make an object and call its first entry. Sizes that only the run
// says are constants with a value that is to be replaced.
std::string EmitUse(const Plan& plan);

// What a call of an entry allocates, in words: "allocates nothing".
std::string DescribeAllocations(const Plan& plan);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_USE_H_

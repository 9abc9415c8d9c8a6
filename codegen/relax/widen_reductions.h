// SPDX-License-Identifier: Apache-2.0
// Reductions of integers whose formula leaves the integers.
#ifndef DRAGOMAN_CODEGEN_RELAX_WIDEN_REDUCTIONS_H_
#define DRAGOMAN_CODEGEN_RELAX_WIDEN_REDUCTIONS_H_

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman::relax {

// Whether `node` is a ReduceLogSumExp or ReduceMean of integers.
bool LeavesIntegers(const Node& node);

// They compute in f64 and round towards zero, as their definition says: Relax has them for floats.
// Those of no elements stay.
Status WidenReductions(Graph& entry);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_WIDEN_REDUCTIONS_H_

// SPDX-License-Identifier: Apache-2.0
// Reductions whose formula leaves the element type.
#ifndef DRAGOMAN_CODEGEN_RELAX_WIDEN_REDUCTIONS_H_
#define DRAGOMAN_CODEGEN_RELAX_WIDEN_REDUCTIONS_H_

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman::relax {

// Whether `node` is a ReduceLogSumExp or ReduceMean of integers.
bool LeavesIntegers(const Node& node);

// They compute in f64 and round towards zero, as their definition says: Relax has them for floats.
// Those of no elements stay. LpPool and GlobalLpPool of halves compute in f32.
Status WidenReductions(Graph& entry);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_WIDEN_REDUCTIONS_H_

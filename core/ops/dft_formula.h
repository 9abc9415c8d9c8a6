// SPDX-License-Identifier: Apache-2.0
// The expansion (op_def.h) of DFT.
#ifndef DRAGOMAN_CORE_OPS_DFT_FORMULA_H_
#define DRAGOMAN_CORE_OPS_DFT_FORMULA_H_

#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// By its definition: products with matrices of cosines and sines, in f64. Sizes may be symbolic,
// and the length an operand. Errors: unsupported, an unknown rank, an axis that is not a constant,
// a last axis of an unknown size; the graph is as it was then.
Result<std::vector<Value*>> ExpandDft(Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_DFT_FORMULA_H_

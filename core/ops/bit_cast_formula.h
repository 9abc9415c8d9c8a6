// SPDX-License-Identifier: Apache-2.0
// BitCast in the arithmetic of ai.onnx 22, which has no operator for it.
#ifndef DRAGOMAN_CORE_OPS_BIT_CAST_FORMULA_H_
#define DRAGOMAN_CORE_OPS_BIT_CAST_FORMULA_H_

#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// Exact, but that the bits of a NaN are those of the quiet one without sign. Errors: element types
// other than integers and floats of 16 to 64 bits.
Result<std::vector<Value*>> ExpandBitCast(Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_BIT_CAST_FORMULA_H_

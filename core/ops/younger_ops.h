// SPDX-License-Identifier: Apache-2.0
// Expansions (op_def.h) of operators that older operator sets of ai.onnx lack, into theirs.
#ifndef DRAGOMAN_CORE_OPS_YOUNGER_OPS_H_
#define DRAGOMAN_CORE_OPS_YOUNGER_OPS_H_

#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

Result<std::vector<Value*>> ExpandBitwiseNot(Node& node);
Result<std::vector<Value*>> ExpandCelu(Node& node);
Result<std::vector<Value*>> ExpandErfc(Node& node);
Result<std::vector<Value*>> ExpandGelu(Node& node);
Result<std::vector<Value*>> ExpandHardSwish(Node& node);
Result<std::vector<Value*>> ExpandMish(Node& node);
Result<std::vector<Value*>> ExpandSwish(Node& node);

// GreaterOrEqual and LessOrEqual, of which neither holds where an operand is NaN.
Result<std::vector<Value*>> ExpandOrEqual(Node& node);

// Errors: an operand of unknown rank.
Result<std::vector<Value*>> ExpandGroupNormalization(Node& node);

// Halves are computed in float32. Errors: an operand of unknown rank.
Result<std::vector<Value*>> ExpandLayerNormalization(Node& node);
Result<std::vector<Value*>> ExpandRmsNormalization(Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_YOUNGER_OPS_H_

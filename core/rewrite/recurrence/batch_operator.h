// SPDX-License-Identifier: Apache-2.0
// One operator for all steps of a recurrence.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_BATCH_OPERATOR_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_BATCH_OPERATOR_H_

#include <vector>

#include "core/rewrite/pass_context.h"

namespace dragoman {

// An operand: with the steps along a leading axis, or the same in all steps. Omitted: nullptr.
struct StepsOperand {
  Value* value = nullptr;
  bool shared = false;
  int rank = 0;  // of what one step reads
};

// Does for all steps what `step` does for one: its results, each with the steps along a leading
// axis, inserted before `position`. At least one operand is not shared. Empty: the operator mixes
// elements in a way that has no such form. Errors: internal.
Result<std::vector<Value*>> BatchOperator(const Node& step,
                                          const std::vector<StepsOperand>& operands, Node& position,
                                          PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_BATCH_OPERATOR_H_

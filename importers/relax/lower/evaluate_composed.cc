// SPDX-License-Identifier: Apache-2.0
// Statements that a remark of ours says to be one operator (composed.h).
#include <utility>
#include <vector>

#include "importers/relax/lower/evaluator.h"

namespace dragoman::tvmscript {

// What the operator refuses is run as it is written.
void Evaluator::RunComposed(const ComposedStatements& composed, Scope& scope) {
  std::vector<OriginPtr> origins;
  for (const Node* node : composed.nodes) origins.push_back(OriginOf(*node));
  builder().set_origin(Origin::Merge(origins));
  const Result<std::vector<Value*>> made = AppendComposed(
      composed.op, builder(), [&](const Value* operand) { return Tensor(operand, scope); });
  if (!made.ok()) {
    for (const Node* node : composed.nodes) RunStatement(*node, scope);
    return;
  }
  for (std::size_t i = 0; i < composed.op.results.size(); ++i) {
    const Value* result = composed.op.results[i];
    if (result == nullptr) continue;
    scope.values[result] = heap_.NewTensor((*made)[i]);
    NameSizes(result->type(), scope.values[result], scope);
  }
}

}  // namespace dragoman::tvmscript

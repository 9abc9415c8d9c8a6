// SPDX-License-Identifier: Apache-2.0
// Calls that a remark of ours says to be one operator (composed.h).
#include <utility>
#include <vector>

#include "importers/relay/lower/evaluator.h"

namespace dragoman::relay {

// What the operator refuses is run as it is written.
void Evaluator::RunComposed(const ComposedStatements& composed, Frame& frame) {
  std::vector<OriginPtr> origins;
  for (const Node* node : composed.nodes) origins.push_back(OriginOf(*node, frame));
  const auto read = [&](const Value* operand) -> Result<Value*> {
    const Abstract value = Get(operand, frame);
    const auto* tensor = value.As<TensorRef>();
    if (tensor == nullptr) return Unsupported("an operand is not a tensor");
    return heap_.Read(builder(), *tensor);
  };
  GraphBuilder& present = builder();
  const OriginPtr outer = present.origin();
  present.set_origin(Origin::Merge(origins));
  const Result<std::vector<Value*>> made = AppendComposed(composed.op, present, read);
  present.set_origin(outer);
  if (!made.ok()) {
    for (const Node* node : composed.nodes) RunCall(*node, frame);
    return;
  }
  for (std::size_t i = 0; i < composed.op.results.size(); ++i) {
    const Value* result = composed.op.results[i];
    if (result != nullptr) frame.values[result] = heap_.NewTensor((*made)[i]);
  }
}

}  // namespace dragoman::relay

// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/lower/composed_operator.h"

#include <string>
#include <utility>
#include <vector>

#include "core/ir/find_as.h"
#include "core/ir/node_attributes.h"
#include "core/lowering/composed.h"
#include "importers/torch/lower/evaluator.h"

namespace dragoman::torch {

void SetComposedOperator(const ComposedOperator& op, Node& node) {
  Attribute::Strings constants;
  for (const ComposedOperator::Operand& operand : op.operands)
    constants.push_back(operand.constant);
  node.SetAttribute("operator", Attribute(op.label));
  node.SetAttribute("attributes", Attribute(op.attributes));
  node.SetAttribute("constants", Attribute(std::move(constants)));
}

ComposedOperator ComposedOperatorOf(const Node& node) {
  ComposedOperator op;
  op.label = TextAttribute(node, "operator", "");
  op.attributes = TextAttribute(node, "attributes", "");
  const auto* constants = FindAs<Attribute::Strings>(node.attributes(), "constants");
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    const bool is_constant = constants != nullptr && i < constants->size();
    op.operands.push_back({node.operand(i), is_constant ? (*constants)[i] : ""});
  }
  for (std::size_t i = 0; i < node.num_results(); ++i) op.results.push_back(node.result(i));
  return op;
}

// What the operator refuses is run as it is written.
Flow Evaluator::RunComposed(const Node& node, Frame& frame) {
  const ComposedOperator op = ComposedOperatorOf(node);
  const auto read = [&](const Value* operand) -> Result<Value*> {
    const Abstract value = Get(operand, frame);
    const auto* tensor = value.As<TensorRef>();
    if (tensor == nullptr) return Unsupported("an operand is not a tensor");
    return heap_.Read(builder(), *tensor);
  };
  const Result<std::vector<Value*>> made = AppendComposed(op, builder(), read);
  std::vector<Abstract> given;
  if (!made.ok()) {
    const Graph* calls = GraphAttribute(node, kComposedCalls);
    if (calls == nullptr) {
      Report(node, InvalidInput("an operator that is composed of no calls"));
      Poisoned(node, frame);
      return Flow::kNext;
    }
    if (RunBlock(*calls, frame, given) == Flow::kRaised) return Flow::kRaised;
  }
  std::vector<Abstract> results(node.num_results(), Abstract(None()));
  std::size_t next = 0;  // of those that the calls give
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) == nullptr) continue;
    results[i] = made.ok() ? Abstract(heap_.NewTensor((*made)[i])) : given.at(next++);
  }
  SetResults(node, frame, std::move(results));
  return Flow::kNext;
}

}  // namespace dragoman::torch

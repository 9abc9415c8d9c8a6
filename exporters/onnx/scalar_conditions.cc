// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/scalar_conditions.h"

#include <cstddef>

#include "core/ir/domain.h"
#include "core/ir/node_attributes.h"

namespace dragoman {
namespace {

// `value` without axes, by a node before `position` of `graph` (nullptr: at the end).
Value* Scalar(Value* value, Graph& graph, Node* position) {
  if (value == nullptr || value->type().rank().value_or(0) == 0) return value;
  Value* const operands[] = {value};
  Node* squeeze = graph.Insert(position, InternOp("onnx", "Squeeze"), operands);
  return squeeze->AddResult("", Type::Tensor(value->type().dtype(), Shape{}));
}

void MakeOperandsScalar(Node& node, std::size_t count) {
  for (std::size_t i = 0; i < count && i < node.num_operands(); ++i)
    node.set_operand(i, Scalar(node.operand(i), *node.graph(), &node));
}

}  // namespace

void MakeConditionsScalar(Graph& entry) {
  ForEachGraph(entry, [](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (node.Is("If")) MakeOperandsScalar(node, 1);
      if (!node.Is("Loop")) continue;
      MakeOperandsScalar(node, 2);
      Graph* body = GraphAttribute(node, "body");
      if (body != nullptr && body->num_outputs() > 0)
        body->SetOutput(0, Scalar(body->output(0), *body, nullptr));
    }
  });
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/outline_sequences.h"

#include <memory>
#include <utility>
#include <vector>

#include "core/ops/op_def.h"
#include "core/rewrite/lower_to_loops.h"
#include "core/rewrite/pass_context.h"

namespace dragoman {
namespace {

Result<std::shared_ptr<Graph>> BodyOf(const Node& node) {
  auto body = std::make_shared<Graph>();
  body->set_name("body");
  const Signature& signature = FindOp(node)->signature;
  std::vector<Value*> operands;
  for (std::size_t i = 0; i < signature.operands.size(); ++i) {
    const Value* operand = node.operand(i);
    Value* input = body->AddInput(std::string(signature.operands[i].name),
                                  operand != nullptr ? operand->type() : Type());
    operands.push_back(operand != nullptr ? input : nullptr);
  }
  Node* inner = body->Append(&node.op(), operands);
  for (const NamedAttribute& attribute : node.attributes()) {
    inner->SetAttribute(attribute.name, attribute.value);
  }
  for (const Formal& result : signature.results) {
    body->AddOutput(inner->AddResult(std::string(result.name), Type()));
  }
  DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(*body, {}));
  DRAGOMAN_TRY(LowerSequence(*inner, context));
  return body;
}

}  // namespace

Status GiveLstmBodies(Graph& graph) {
  std::vector<Node*> sequences;
  ForEachGraph(graph, [&](Graph& inner) {
    for (Node& node : inner.nodes()) {
      if (node.IsDragoman("LSTM")) sequences.push_back(&node);
    }
  });
  for (Node* node : sequences) {
    DRAGOMAN_ASSIGN(std::shared_ptr<Graph> body, BodyOf(*node));
    node->SetAttribute("body", Attribute(std::move(body)));
  }
  return {};
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/lower/kept_operator.h"

#include <vector>

namespace dragoman::torch {

Result<Results> LowerKept(const Node& node, std::span<const Abstract> arguments, Heap& heap,
                          GraphBuilder& builder) {
  std::vector<Value*> operands;
  for (const Abstract& argument : arguments) {
    const auto* tensor = argument.As<TensorRef>();
    if (tensor == nullptr)
      return Unsupported("operator " + node.op().type + " is not supported for " +
                         Describe(argument));
    DRAGOMAN_ASSIGN(Value * operand, heap.Read(builder, *tensor));
    operands.push_back(operand);
  }
  const OpName& op = node.op();
  Node* copy = builder.graph().Append(InternOp("onnx", op.type, op.domain), operands, node.name());
  for (const NamedAttribute& attribute : node.attributes())
    copy->SetAttribute(attribute.name, attribute.value);
  copy->set_origin(builder.origin());
  Results results;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value& result = *node.result(i);
    Value* made = copy->AddResult(builder.UniqueName(result.name()), result.type());
    results.push_back(heap.NewTensor(made));
  }
  return results;
}

}  // namespace dragoman::torch

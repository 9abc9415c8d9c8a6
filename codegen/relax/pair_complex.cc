// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "codegen/relax/entry_border.h"
#include "core/rewrite/pass_context.h"

namespace dragoman::relax {
namespace {

bool IsComplex(const Type& type) {
  return type.is_tensor() && (type.dtype() == DType::kC64 || type.dtype() == DType::kC128);
}

Type PairOf(const Type& type) {
  const DType part = type.dtype() == DType::kC128 ? DType::kF64 : DType::kF32;
  if (type.shape() == nullptr) return Type::Tensor(part);
  Shape shape = *type.shape();
  shape.push_back(Dim(2));
  return Type::Tensor(part, std::move(shape));
}

// The node that turns complex numbers into pairs or pairs into complex numbers, before `position`
// (nullptr: at the end).
Value* Turned(Graph& graph, Node* position, std::string_view op, Value* x, Type type) {
  Node* node = graph.Insert(position, InternOp("dragoman", op), {{x}});
  return node->AddResult(x->name() + "_parts", std::move(type));
}

// What is turned into pairs and was made of pairs is these pairs.
Status Cancel(Graph& entry) {
  DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(entry, {}));
  std::vector<Node*> nodes;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      const Node* maker = node.IsDragoman("ComplexToReal") ? node.operand(0)->producer() : nullptr;
      if (maker != nullptr && maker->IsDragoman("RealToComplex")) nodes.push_back(&node);
    }
  });
  for (Node* node : nodes) {
    Node* maker = node->operand(0)->producer();
    Value* pairs[] = {maker->operand(0)};
    DRAGOMAN_TRY(context.InsertCopies(*node, pairs));
    context.Replace(*node, pairs);
    if (!maker->result(0)->used()) context.Erase(*maker);
  }
  return {};
}

}  // namespace

Status PairComplex(Graph& entry, EntryBorder& border) {
  for (std::size_t i = 0; i < entry.num_inputs(); ++i) {
    Value* input = entry.input(i);
    if (!IsComplex(input->type())) continue;
    border.complex_inputs.push_back(i);
    const Type whole = input->type();
    input->set_type(PairOf(whole));
    if (!input->used()) continue;
    Node* node = entry.Insert(entry.first_node(), InternOp("dragoman", "RealToComplex"), {});
    Value* numbers = node->AddResult(input->name() + "_complex", whole);
    input->ReplaceAllUsesWith(numbers);
    node->AddOperand(input);
  }
  for (std::size_t i = 0; i < entry.num_outputs(); ++i) {
    Value* output = entry.output(i);
    if (!IsComplex(output->type())) continue;
    border.complex_outputs.push_back(i);
    entry.SetOutput(i, Turned(entry, nullptr, "ComplexToReal", output, PairOf(output->type())));
  }
  if (border.complex_inputs.empty() && border.complex_outputs.empty()) return {};
  return Cancel(entry);
}

}  // namespace dragoman::relax

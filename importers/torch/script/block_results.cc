// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/block_results.h"

#include <utility>

#include "importers/torch/script/graph_queries.h"

namespace dragoman::torch {
namespace {

void ReorderOutputs(Graph& block, std::size_t fixed, const std::vector<std::size_t>& kept) {
  std::vector<Value*> outputs;
  for (std::size_t i = 0; i < fixed; ++i) outputs.push_back(block.output(i));
  for (std::size_t i : kept) outputs.push_back(block.output(fixed + i));
  while (block.num_outputs() > 0) block.RemoveOutput(block.num_outputs() - 1);
  for (Value* output : outputs) block.AddOutput(output);
}

void ReorderInputs(Graph& block, std::size_t fixed, const std::vector<std::size_t>& kept) {
  const std::size_t count = block.num_inputs();
  for (std::size_t i : kept) {
    Value* old = block.input(fixed + i);
    Value* input = block.AddInput(old->name(), old->type());
    old->ReplaceAllUsesWith(input);
  }
  for (std::size_t i = count; i-- > fixed;) block.RemoveInput(i);
}

}  // namespace

Node* KeepResults(Node& node, const std::vector<std::size_t>& kept) {
  const bool loop = IsPrim(node, "Loop");
  for (Graph* block : node.subgraphs()) {
    ReorderOutputs(*block, loop ? 1 : 0, kept);
    if (loop) ReorderInputs(*block, 1, kept);
  }
  std::vector<Value*> operands = {node.operand(0)};
  if (loop) operands.push_back(node.operand(1));
  for (std::size_t i : kept) {
    if (loop) operands.push_back(node.operand(2 + i));
  }
  Node* replacement = node.graph()->Insert(&node, &node.op(), operands, node.name());
  replacement->set_origin(node.origin());
  std::vector<NamedAttribute> attributes = std::exchange(node.attributes(), {});
  for (NamedAttribute& attribute : attributes) replacement->AddAttribute(std::move(attribute));
  for (std::size_t i : kept) {
    Value* result = replacement->AddResult(node.result(i)->name(), node.result(i)->type());
    node.result(i)->ReplaceAllUsesWith(result);
  }
  node.graph()->Erase(&node);
  return replacement;
}

void InlineBranch(Node& node, Graph& block) {
  Graph& target = *node.graph();
  ValueMap map;
  for (Node& inner : block.nodes()) CloneNode(inner, target, &node, map);
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const auto found = map.find(block.output(i));
    node.result(i)->ReplaceAllUsesWith(found != map.end() ? found->second : block.output(i));
  }
  target.Erase(&node);
}

}  // namespace dragoman::torch

// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/complete_results.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

std::size_t RequiredResults(const Node& node) {
  if (node.Is("BatchNormalization") && IntAttribute(node, "training_mode") != 0) return 3;
  const OpDef* def = FindOp(node);
  if (def == nullptr || !node.subgraphs().empty()) return 0;
  std::size_t count = 0;
  for (const Formal& formal : def->signature.results) {
    if (formal.optional || formal.variadic) break;
    ++count;
  }
  return count;
}

bool HasResults(const Node& node, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (node.result(i) == nullptr) return false;
  }
  return true;
}

// In place of `node` one that lacks none of its first `count` results.
void Complete(Node& node, std::size_t count) {
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) operands.push_back(use.value());
  Graph& graph = *node.graph();
  Node* made = graph.Insert(&node, &node.op(), operands, node.name());
  made->set_origin(node.origin());
  for (NamedAttribute& attribute : node.attributes()) made->AddAttribute(std::move(attribute));
  for (std::size_t i = 0; i < std::max(count, node.num_results()); ++i) {
    Value* result = node.result(i);
    if (result != nullptr) {
      result->ReplaceAllUsesWith(made->AddResult(result->name(), result->type()));
    } else if (i < count) {
      made->AddResult("");
    } else {
      made->AddOmittedResult();
    }
  }
  graph.Erase(&node);
}

}  // namespace

void CompleteResults(Graph& entry) {
  ForEachGraph(entry, [](Graph& graph) {
    for (Node& node : graph.nodes()) {
      const std::size_t count = RequiredResults(node);
      if (!HasResults(node, count)) Complete(node, count);
    }
  });
}

}  // namespace dragoman

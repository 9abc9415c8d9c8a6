// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/outline_fused.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/domain.h"

namespace dragoman {
namespace {

// A function has no initializers.
void MakeConstantNodes(Graph& graph) {
  Node* const first = graph.first_node();
  for (const auto& constant : graph.constants()) {
    if (constant->tensor() == nullptr) continue;
    Node* node = graph.Insert(first, InternOp("onnx", "Constant"), {});
    node->SetAttribute("value", *constant->tensor());
    constant->ReplaceAllUsesWith(node->AddResult(constant->name(), constant->type()));
  }
  graph.EraseConstantsIf([](const Value& constant) { return !constant.used(); });
}

// Of its nodes, but for ai.onnx.
std::set<std::string> DomainsOf(const Graph& body) {
  std::set<std::string> domains;
  ForEachGraph(body, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      const std::string& domain = node.op().domain;
      if (!IsDefaultDomain(domain)) domains.insert(domain);
    }
  });
  return domains;
}

void Outline(Node& node, std::int64_t opset, std::vector<Function>& functions) {
  const Graph& body = *node.attribute("body")->graph();
  Function function;
  const std::string name = node.op().type + "_" + std::to_string(functions.size() + 1);
  function.op = InternOp("onnx", name, "dragoman");
  function.graph = std::make_unique<Graph>();
  ValueMap map;
  CloneInto(body, *function.graph, map);
  function.opsets = {{"", opset}};
  for (const std::string& domain : DomainsOf(body)) function.opsets.push_back({domain, 1});
  MakeConstantNodes(*function.graph);
  node.set_op(function.op);
  node.RemoveAttribute("body");
  for (const NamedAttribute& attribute : node.attributes()) {
    function.attributes.push_back(attribute.name);
  }
  functions.push_back(std::move(function));
}

}  // namespace

void OutlineFused(Model& model, std::int64_t opset) {
  std::vector<Node*> fused;
  ForEachGraph(model, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (node.IsDragoman("Fused") || node.IsDragoman("LSTM")) fused.push_back(&node);
    }
  });
  // Inner nodes before those whose bodies they are in.
  for (auto node = fused.rbegin(); node != fused.rend(); ++node) {
    Outline(**node, opset, model.functions);
  }
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// dragoman.Fused: a group of nodes that is one function of its operands. The body takes the
// operands in order and reads nothing else of the graphs around it.
#include <string>

#include "core/ir/node_attributes.h"
#include "core/ops/control_flow.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

bool IsWithin(const Graph* graph, const Graph& body) {
  while (graph != nullptr && graph != &body) graph = graph->parent_graph();
  return graph == &body;
}

// The first value that the body reads of the graphs around it, or nullptr.
const Value* FindCapture(const Graph& body) {
  const Value* captured = nullptr;
  const auto look = [&](const Use& use) {
    const Value* value = use.value();
    if (captured == nullptr && value != nullptr && !IsWithin(value->graph(), body)) {
      captured = value;
    }
  };
  ForEachGraph(body, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (const Use& use : node.operands()) look(use);
    }
    for (const Use& use : graph.outputs()) look(use);
  });
  return captured;
}

Status InferFused(InferContext& context) {
  const std::size_t num_operands = context.num_operands();
  DRAGOMAN_ASSIGN(Graph * body, BodyOf(context, "body", num_operands, context.num_results()));
  if (const Value* value = FindCapture(*body)) {
    return context.Fail("the body reads '" + value->name() + "', which is not its own");
  }
  std::vector<Knowledge> inputs;
  for (std::size_t i = 0; i < num_operands; ++i) inputs.push_back(context.operand(i));
  DRAGOMAN_ASSIGN(std::vector<Knowledge> outputs, context.InferSubgraph(*body, inputs));
  const std::set<std::string> outer = OuterSymbols(context);
  for (std::size_t i = 0; i < context.num_results(); ++i) {
    context.SetType(i, OuterType(context, i, outputs[i].type, outer));
    if (outputs[i].elements && KnownElements(*outputs[i].elements)) {
      context.SetElements(i, *outputs[i].elements);
    }
  }
  return {};
}

// The nodes of the body, in place.
Result<std::vector<Value*>> ExpandFused(Node& node) {
  const Graph* body = GraphAttribute(node, "body");
  if (body == nullptr || body->num_inputs() != node.num_operands()) {
    return InvalidInput("has no body for its operands").At(node.Describe());
  }
  ValueMap map;
  for (std::size_t i = 0; i < body->num_inputs(); ++i) map[body->input(i)] = node.operand(i);
  for (const auto& constant : body->constants()) {
    if (constant->tensor() == nullptr) {
      return InvalidInput("constant '" + constant->name() + "' has no elements")
          .At(node.Describe());
    }
    Value* copy = node.graph()->AddConstant(constant->name(), *constant->tensor());
    copy->set_origin(constant->origin());
    map[constant.get()] = copy;
  }
  for (const Node& inner : body->nodes()) CloneNode(inner, *node.graph(), &node, map);
  std::vector<Value*> results;
  for (const Use& output : body->outputs()) results.push_back(map.at(output.value()));
  return results;
}

}  // namespace

std::vector<OpDef> FusedOps() {
  return {DragomanOp("Fused", "(inputs: V+) -> (outputs: V+)", "V: any")
              .Attribute("body", Attribute::Kind::kGraph)
              .Required("body")
              .Infer(InferFused)
              .Expand(ExpandFused)};
}

}  // namespace dragoman

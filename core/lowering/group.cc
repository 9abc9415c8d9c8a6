// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/group.h"

#include <memory>
#include <unordered_map>
#include <utility>

namespace dragoman {
namespace {

// Makes inputs of what `body` reads of other graphs, and appends that to `operands`.
void CloseBody(Graph& body, GraphBuilder& builder, std::vector<Value*>& operands) {
  std::unordered_map<const Value*, Value*> inputs;
  const auto own = [&](Value* value) -> Value* {
    const Graph* graph = value != nullptr ? value->graph() : &body;
    while (graph != nullptr && graph != &body) graph = graph->parent_graph();
    if (graph == &body) return value;
    Value*& input = inputs[value];
    if (input == nullptr) {
      input = body.AddInput(builder.UniqueName(value->name()), value->type());
      operands.push_back(value);
    }
    return input;
  };
  ForEachGraph(body, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      for (std::size_t i = 0; i < node.num_operands(); ++i)
        node.set_operand(i, own(node.operand(i)));
    }
    for (std::size_t i = 0; i < graph.num_outputs(); ++i) graph.SetOutput(i, own(graph.output(i)));
  });
}

}  // namespace

Result<std::optional<Abstract>> RunGroup(EntryBuilder& entry, const SourceGroup& group) {
  Heap& heap = entry.heap();
  GraphBuilder& builder = entry.builder();
  std::vector<Value*> operands;
  for (const Abstract& argument : group.arguments) {
    const auto* tensor = argument.As<TensorRef>();
    if (tensor == nullptr) return std::optional<Abstract>();
    DRAGOMAN_ASSIGN(Value * operand, heap.Read(builder, *tensor));
    operands.push_back(operand);
  }
  if (operands.empty()) return std::optional<Abstract>();
  Side side = entry.NewSide();
  side.body->set_name("body");
  std::vector<Abstract> inner;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string name = side.builder->UniqueName(group.parameters[i]);
    inner.push_back(heap.NewTensor(side.body->AddInput(name, operands[i]->type())));
  }
  const std::size_t findings = entry.findings.size();
  std::vector<Value*> outputs;
  bool plain = true;
  bool single = true;
  entry.RunInto(side, [&](std::vector<Abstract>&) {
    const Abstract result = group.run(std::move(inner));
    const auto* tuple = result.As<Tuple>();
    single = tuple == nullptr;
    for (const Abstract& item : tuple != nullptr ? *tuple->items : std::vector{result}) {
      const auto* tensor = item.As<TensorRef>();
      const Result<Value*> value =
          tensor != nullptr ? heap.Read(entry.builder(), *tensor) : Result<Value*>(nullptr);
      plain = plain && value.ok() && *value != nullptr;
      outputs.push_back(plain ? *value : nullptr);
    }
    return Flow::kNext;
  });
  if (entry.findings.size() != findings) return std::optional<Abstract>(Poison());
  if (!plain || outputs.empty() || !side.changes.empty()) return std::optional<Abstract>();
  DRAGOMAN_TRY(EntryBuilder::AddOutputs(side, outputs));
  CloseBody(*side.body, builder, operands);
  std::vector<OriginPtr> origins;
  for (const Node& node : side.body->nodes()) origins.push_back(node.origin());
  const std::vector<std::string> names(outputs.size(), group.name);
  DRAGOMAN_ASSIGN(Node * fused, builder.Append("dragoman.Fused", operands,
                                               {{"body", Attribute(side.body)}}, names));
  fused->set_name(group.name);
  fused->set_origin(Origin::Merge(origins));
  fused->extra().emplace_back(group.key, Attribute(group.attributes));
  std::vector<Abstract> results;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    results.push_back(heap.NewTensor(fused->result(i)));
  if (single) return std::optional<Abstract>(results.front());
  return std::optional<Abstract>(
      Tuple{std::make_shared<const std::vector<Abstract>>(std::move(results))});
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/apply_facts.h"

#include <string>
#include <utility>
#include <vector>

#include "core/analysis/declared_types.h"
#include "core/analysis/inference.h"
#include "core/analysis/no_entry.h"
#include "core/ir/input_names.h"
#include "core/ir/type_algebra.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

// Forgets the sizes that inference finds again.
void ForgetShapes(Graph& graph) {
  for (Node& node : graph.nodes()) {
    if (FindOp(node) == nullptr) continue;
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) != nullptr)
        node.result(i)->set_type(WithoutShapes(node.result(i)->type()));
    }
    for (Graph* body : node.subgraphs()) ForgetShapes(*body);
  }
}

// Positions are those of the inputs of `graph`.
Result<Facts> NameInputs(const Graph& graph, const Facts& facts) {
  const std::vector<std::string> names = InputNames(graph);
  DRAGOMAN_TRY(CheckFacts(facts, names));
  return WithNames(facts, names);
}

Status ApplyToEntry(Graph& graph, const Facts& facts) {
  for (const auto& input : graph.inputs()) {
    DRAGOMAN_ASSIGN(Type type, ApplyFacts(facts, input->name(), kNoPosition, input->type()));
    input->set_type(std::move(type));
  }
  const Facts sizes_only{.shapes = {}, .dims = facts.dims, .entry = {}};
  std::vector<Type> declared;
  for (const Use& output : graph.outputs()) {
    DRAGOMAN_ASSIGN(Type type,
                    ApplyFacts(sizes_only, output.value()->name(), 0, output.value()->type()));
    declared.push_back(std::move(type));
  }
  DeclaredTypes outputs(graph);
  ForgetShapes(graph);
  Inference inference;
  DRAGOMAN_TRY(inference.InferGraph(graph));
  for (std::size_t i = 0; i < graph.num_outputs(); ++i) {
    if (graph.output(i)->kind() != Value::Kind::kResult) continue;
    Value* output = graph.output(i);
    output->set_type(outputs.Merge(output->type(), declared[i], output->name()));
  }
  return {};
}

}  // namespace

Result<Model> ApplyFactsToModel(const Model& common, const Facts& facts) {
  Model model = Clone(common);
  if (facts.entry) {
    if (model.FindEntry(*facts.entry) == nullptr) return NoEntry(model, *facts.entry);
    std::erase_if(model.entries, [&](const Entry& entry) { return entry.name != *facts.entry; });
  }
  if (model.entries.empty()) return model;
  DRAGOMAN_ASSIGN(const Facts named, NameInputs(*model.entries.front().graph, facts));
  for (Entry& entry : model.entries) DRAGOMAN_TRY(ApplyToEntry(*entry.graph, named));
  return model;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/expand_apart.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ops/expansion.h"
#include "core/ops/op_def.h"
#include "core/rewrite/lower_factors.h"

namespace dragoman {
namespace {

// By label.
std::set<std::string> OperatorsOf(const Model& model) {
  std::set<std::string> operators;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (const OpDef* def = FindOp(node)) operators.insert(def->Label());
    }
  });
  return operators;
}

std::size_t CountNodes(const Model& model) {
  std::size_t count = 0;
  ForEachGraph(model, [&](const Graph& graph) { count += graph.num_nodes(); });
  return count;
}

// Nodes of `model` without bodies that have an expansion, and whose operators are not among
// `others`.
std::vector<Node*> ApartIn(Model& model, const std::set<std::string>& others) {
  std::vector<Node*> apart;
  for (Entry& entry : model.entries) {
    ForEachGraph(*entry.graph, [&](Graph& graph) {
      for (Node& node : graph.nodes()) {
        const OpDef* def = FindOp(node);
        const bool expands = def != nullptr && def->expand && node.subgraphs().empty();
        if (expands && !others.contains(def->Label())) apart.push_back(&node);
      }
    });
  }
  return apart;
}

bool HasFactorisation(const std::set<std::string>& operators, const std::set<std::string>& others) {
  for (const std::string& name : operators) {
    if (IsFactorisation(name) && !others.contains(name)) return true;
  }
  return false;
}

Result<bool> ExpandIn(Model& model, const std::set<std::string>& others) {
  bool changed = false, goes_on = true;
  while (goes_on) {
    goes_on = false;
    for (Node* node : ApartIn(model, others)) goes_on |= ReplaceByExpansion(*node).ok();
    changed |= goes_on;
  }
  if (!HasFactorisation(OperatorsOf(model), others)) return changed;
  for (Entry& entry : model.entries)
    DRAGOMAN_TRY(LowerFactors(*entry.graph, [](std::string_view) { return false; }));
  return true;
}

}  // namespace

Result<bool> ExpandApart(std::array<Model, 2>& models) {
  // What is composed makes a model shorter, and is made of what the longer one has.
  std::array<Model*, 2> by_size = {&models[0], &models[1]};
  if (CountNodes(models[1]) < CountNodes(models[0])) std::swap(by_size[0], by_size[1]);
  DRAGOMAN_ASSIGN(const bool first, ExpandIn(*by_size[0], OperatorsOf(*by_size[1])));
  DRAGOMAN_ASSIGN(const bool second, ExpandIn(*by_size[1], OperatorsOf(*by_size[0])));
  return first || second;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/find_fusions.h"

#include <set>
#include <string>
#include <vector>

#include "codegen/onednn/plan/value_queries.h"
#include "core/ir/producer.h"
#include "core/ops/op_def.h"

namespace dragoman::onednn {
namespace {

// A root reads what its fusion reads, in place of its operands.
bool IsNeeded(const Use& use, const Graph& graph, const Fusions& found) {
  const Node* user = use.user();
  if (user == nullptr || user->graph() != &graph) return true;
  return !found.TakesOver(user);
}

bool IsNeeded(const Value* value, const Graph& graph, const Fusions& found) {
  if (value == nullptr) return false;
  if (found.read.contains(value)) return true;
  for (const Use* use = value->first_use(); use != nullptr; use = use->next()) {
    if (IsNeeded(*use, graph, found)) return true;
  }
  return false;
}

bool IsNeeded(const Node& node, const Graph& graph, const Fusions& found) {
  if (found.IsRoot(&node) || HasEffect(node) || !node.subgraphs().empty()) return true;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (IsNeeded(node.result(i), graph, found)) return true;
  }
  return false;
}

void AddShown(const Type& type, std::set<std::string>& symbols) {
  if (type.shape() == nullptr) return;
  for (const Dim& dim : *type.shape()) {
    if (dim.symbol() != nullptr) symbols.insert(*dim.symbol());
  }
}

// The nodes whose results are the first of the graph to show the symbol of a size: the program
// learns it from them.
std::set<const Node*> FindBinders(const Graph& graph) {
  std::set<std::string> shown;
  for (const auto& input : graph.inputs()) AddShown(input->type(), shown);
  std::set<const Node*> binders;
  for (const Node& node : graph.nodes()) {
    if (!AnyResultUsed(node) && !HasEffect(node)) continue;
    const std::size_t before = shown.size();
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) != nullptr) AddShown(node.result(i)->type(), shown);
    }
    if (shown.size() > before) binders.insert(&node);
  }
  return binders;
}

}  // namespace

void FindFusions(const Graph& graph, Fusions& found) {
  FindAttentions(graph, found.attentions);
  FindRotaries(graph, found.rotaries);
  FindBlockProducts(graph, found.products);
  if (found.attentions.empty() && found.rotaries.empty() && found.products.empty()) return;
  for (const auto& [root, attention] : found.attentions) {
    found.read.insert({attention.q.base, attention.k.base, attention.v.base});
    for (const AttentionMasking& mask : attention.masks) found.read.insert(mask.matrix.base);
  }
  for (const auto& [root, rotary] : found.rotaries)
    found.read.insert({rotary.x, rotary.cos, rotary.sin});
  for (const auto& [root, product] : found.products) found.read.insert(product.x);
  const std::set<const Node*> binders = FindBinders(graph);
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes()) nodes.push_back(&node);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (!binders.contains(*node) && !IsNeeded(**node, graph, found)) found.absorbed.insert(*node);
  }
}

}  // namespace dragoman::onednn

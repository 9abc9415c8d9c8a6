// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/find_fusions.h"

#include <vector>

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

}  // namespace

void FindFusions(const Graph& graph, Fusions& found) {
  FindAttentions(graph, found.attentions);
  FindRotaries(graph, found.rotaries);
  FindBlockProducts(graph, found.products);
  if (found.attentions.empty() && found.rotaries.empty() && found.products.empty()) return;
  for (const auto& [root, attention] : found.attentions) {
    found.read.insert({attention.q, attention.k, attention.v});
    found.read.insert(std::begin(attention.masks), std::end(attention.masks));
  }
  for (const auto& [root, rotary] : found.rotaries)
    found.read.insert({rotary.x, rotary.cos, rotary.sin});
  for (const auto& [root, product] : found.products) found.read.insert(product.x);
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes()) nodes.push_back(&node);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (!IsNeeded(**node, graph, found)) found.absorbed.insert(*node);
  }
}

}  // namespace dragoman::onednn

// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/order_results.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "importers/torch/script/block_results.h"
#include "importers/torch/script/graph_queries.h"

namespace dragoman::torch {
namespace {

class Orderer {
 public:
  explicit Orderer(Graph& graph) { Number(graph); }

  // Blocks nest at most kMaxGraphNesting deep.
  void Run(Graph& block) {
    for (Node* node = block.first_node(); node != nullptr; node = node->next()) {
      if (IsPrim(*node, "If") || IsPrim(*node, "Loop")) node = Order(*node);
      for (Graph* body : node->subgraphs()) Run(*body);
    }
  }

 private:
  using Place = std::pair<std::size_t, std::size_t>;  // of the user, and the operand

  // A node comes before those in its blocks, the outputs of a block after its nodes.
  void Number(const Graph& block) {
    for (const Node& node : block.nodes()) {
      nodes_[&node] = next_++;
      for (const Graph* body : node.subgraphs()) Number(*body);
    }
    ends_[&block] = next_++;
  }

  Place FirstUse(const Value& value) const {
    Place first(std::numeric_limits<std::size_t>::max(), 0);
    for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
      const std::size_t at =
          use->user() != nullptr ? nodes_.at(use->user()) : ends_.at(use->graph());
      first = std::min(first, Place(at, use->index()));
    }
    return first;
  }

  Node* Order(Node& node) {
    std::vector<Place> places;
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      places.push_back(FirstUse(*node.result(i)));
    }
    if (std::is_sorted(places.begin(), places.end())) return &node;
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
    const std::size_t number = nodes_.at(&node);
    Node* ordered = KeepResults(node, order);
    nodes_[ordered] = number;
    return ordered;
  }

  std::unordered_map<const Node*, std::size_t> nodes_;
  std::unordered_map<const Graph*, std::size_t> ends_;
  std::size_t next_ = 0;
};

}  // namespace

void OrderResults(Graph& graph) { Orderer(graph).Run(graph); }

}  // namespace dragoman::torch

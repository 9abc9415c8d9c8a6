// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layered_graph.h"

#include <algorithm>
#include <map>
#include <utility>

namespace dragoman::layout {
namespace {

constexpr std::uint32_t kMaxSpan = 96;
constexpr std::size_t kBendsPerBox = 6;
constexpr std::size_t kFreeBends = 2000;

// The two ends of an edge, the upper first.
Edge Downwards(const Edge& edge, bool turned) { return turned ? Edge{edge.to, edge.from} : edge; }

// How many bends there are if edges over more than `max_span` layers have none.
std::size_t CountBends(std::size_t num_boxes, std::span<const Edge> edges, const Layering& layering,
                       std::uint32_t max_span) {
  std::vector<std::uint32_t> longest(2 * num_boxes);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].from == edges[i].to) continue;
    const auto [from, to] = Downwards(edges[i], layering.turned[i]);
    const std::uint32_t span = layering.layer_of[to] - layering.layer_of[from];
    std::uint32_t& of_box = longest[2 * from + (layering.turned[i] ? 1 : 0)];
    if (span <= max_span) of_box = std::max(of_box, span - 1);
  }
  std::size_t count = 0;
  for (const std::uint32_t bends : longest) count += bends;
  return count;
}

class Maker {
 public:
  Maker(std::size_t num_boxes, const Layering& layering) : layering_(layering) {
    graph_.num_boxes = num_boxes;
    graph_.vertices.resize(num_boxes);
    for (std::size_t box = 0; box < num_boxes; ++box)
      graph_.vertices[box].layer = layering.layer_of[box];
  }

  void AddPath(const Edge& edge, bool turned) {
    const auto [from, to] = Downwards(edge, turned);
    std::vector<std::uint32_t> path = {from};
    std::vector<std::uint32_t>& trunk = trunks_[{from, turned}];
    const std::uint32_t bends = layering_.layer_of[to] - layering_.layer_of[from] - 1;
    while (trunk.size() < bends) {
      const auto bend = static_cast<std::uint32_t>(graph_.vertices.size());
      const std::uint32_t before = trunk.empty() ? from : trunk.back();
      graph_.vertices.push_back({graph_.vertices[before].layer + 1, {}, {}});
      Connect(before, bend);
      trunk.push_back(bend);
    }
    path.insert(path.end(), trunk.begin(), trunk.begin() + bends);
    Connect(path.back(), to);
    path.push_back(to);
    graph_.paths.push_back(std::move(path));
  }
  void AddNoPath() { graph_.paths.emplace_back(); }

  LayeredGraph Finish() {
    graph_.layers.resize(layering_.num_layers);
    for (std::uint32_t vertex = 0; vertex < graph_.vertices.size(); ++vertex)
      graph_.layers[graph_.vertices[vertex].layer].push_back(vertex);
    return std::move(graph_);
  }

 private:
  void Connect(std::uint32_t upper, std::uint32_t lower) {
    graph_.vertices[upper].below.push_back(lower);
    graph_.vertices[lower].above.push_back(upper);
  }

  const Layering& layering_;
  LayeredGraph graph_;
  // The bends of all edges that leave a box, downwards and upwards.
  std::map<std::pair<std::uint32_t, bool>, std::vector<std::uint32_t>> trunks_;
};

}  // namespace

LayeredGraph MakeLayeredGraph(std::size_t num_boxes, std::span<const Edge> edges,
                              const Layering& layering) {
  std::uint32_t max_span = kMaxSpan;
  while (max_span > 2 &&
         CountBends(num_boxes, edges, layering, max_span) > kFreeBends + kBendsPerBox * num_boxes)
    max_span /= 2;
  Maker maker(num_boxes, layering);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto [from, to] = Downwards(edges[i], layering.turned[i]);
    const bool drawn = from != to && layering.layer_of[to] - layering.layer_of[from] <= max_span;
    drawn ? maker.AddPath(edges[i], layering.turned[i]) : maker.AddNoPath();
  }
  return maker.Finish();
}

}  // namespace dragoman::layout

// SPDX-License-Identifier: Apache-2.0
#include "core/layout/order_layers.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dragoman::layout {
namespace {

constexpr int kSweeps = 10;
constexpr int kPatience = 3;  // sweeps that bring nothing before the last one

std::vector<std::uint32_t> PlacesOf(const LayeredGraph& graph) {
  std::vector<std::uint32_t> places(graph.vertices.size());
  for (const std::vector<std::uint32_t>& layer : graph.layers) {
    for (std::uint32_t i = 0; i < layer.size(); ++i) places[layer[i]] = i;
  }
  return places;
}

// Sums over places, for counting inversions (Fenwick).
class PlaceCounts {
 public:
  explicit PlaceCounts(std::size_t size) : sums_(size + 1) {}
  void Add(std::size_t place) {
    ++total_;
    for (++place; place < sums_.size(); place += place & (~place + 1)) ++sums_[place];
  }
  // How many lie after `place`.
  std::uint64_t Behind(std::size_t place) const {
    std::uint64_t sum = 0;
    for (++place; place > 0; place -= place & (~place + 1)) sum += sums_[place];
    return total_ - sum;
  }

 private:
  std::vector<std::uint64_t> sums_;
  std::uint64_t total_ = 0;
};

// Sorts a layer by the mean place of the neighbours in the one before; a vertex without any keeps
// its place. `down`: that layer lies above.
void SortLayer(LayeredGraph& graph, std::vector<std::uint32_t>& layer,
               std::vector<std::uint32_t>& places, bool down) {
  // Scaled to integers, so that every machine gives the same order.
  constexpr std::uint64_t kScale = 1 << 10;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
  keys.reserve(layer.size());
  for (const std::uint32_t vertex : layer) {
    const auto& neighbours = down ? graph.vertices[vertex].above : graph.vertices[vertex].below;
    std::uint64_t sum = 0;
    for (const std::uint32_t neighbour : neighbours) sum += places[neighbour];
    keys.emplace_back(
        neighbours.empty() ? places[vertex] * kScale : sum * kScale / neighbours.size(), vertex);
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    layer[i] = keys[i].second;
    places[keys[i].second] = i;
  }
}

}  // namespace

std::uint64_t CountCrossings(const LayeredGraph& graph) {
  const std::vector<std::uint32_t> places = PlacesOf(graph);
  std::uint64_t crossings = 0;
  std::vector<std::uint32_t> ends;
  for (std::size_t i = 0; i + 1 < graph.layers.size(); ++i) {
    PlaceCounts counts(graph.layers[i + 1].size());
    for (const std::uint32_t vertex : graph.layers[i]) {
      ends.clear();
      for (const std::uint32_t below : graph.vertices[vertex].below) ends.push_back(places[below]);
      for (const std::uint32_t end : ends) crossings += counts.Behind(end);
      for (const std::uint32_t end : ends) counts.Add(end);
    }
  }
  return crossings;
}

void OrderLayers(LayeredGraph& graph) {
  std::vector<std::vector<std::uint32_t>> best = graph.layers;
  std::uint64_t fewest = CountCrossings(graph);
  std::vector<std::uint32_t> places = PlacesOf(graph);
  for (int sweep = 0, failures = 0; sweep < kSweeps && fewest > 0 && failures < kPatience;
       ++sweep) {
    const bool down = sweep % 2 == 0;
    const std::size_t count = graph.layers.size();
    for (std::size_t i = 1; i < count; ++i)
      SortLayer(graph, graph.layers[down ? i : count - 1 - i], places, down);
    const std::uint64_t crossings = CountCrossings(graph);
    failures = crossings < fewest ? 0 : failures + 1;
    if (crossings >= fewest) continue;
    fewest = crossings;
    best = graph.layers;
  }
  graph.layers = std::move(best);
}

}  // namespace dragoman::layout

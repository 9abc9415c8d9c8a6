// SPDX-License-Identifier: Apache-2.0
#include "core/layout/place_layers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dragoman::layout {
namespace {

constexpr double kBetweenBoxes = 26;
constexpr double kBetweenBends = 14;
constexpr int kRounds = 12;

class Placer {
 public:
  Placer(const LayeredGraph& graph, std::span<const Box> boxes)
      : graph_(graph), boxes_(boxes), places_(graph.vertices.size()) {}

  std::vector<std::int32_t> Run() {
    for (const auto& layer : graph_.layers) PackInTheMiddle(layer);
    for (int round = 0; round < kRounds; ++round) {
      const bool down = round % 2 == 0;
      for (std::size_t i = 0; i < graph_.layers.size(); ++i)
        MoveLayer(graph_.layers[down ? i : graph_.layers.size() - 1 - i], down, !down);
    }
    for (const auto& layer : graph_.layers) MoveLayer(layer, true, true);
    return Rounded();
  }

 private:
  double WidthOf(std::uint32_t vertex) const {
    return graph_.IsBend(vertex) ? 0 : boxes_[vertex].width;
  }

  double Distance(std::uint32_t left, std::uint32_t right) const {
    const bool bends = graph_.IsBend(left) && graph_.IsBend(right);
    // Whole numbers, so that boxes keep apart when places are rounded.
    return std::ceil((WidthOf(left) + WidthOf(right)) / 2 +
                     (bends ? kBetweenBends : kBetweenBoxes));
  }

  void PackInTheMiddle(const std::vector<std::uint32_t>& layer) {
    double x = 0;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      x += i == 0 ? 0 : Distance(layer[i - 1], layer[i]);
      places_[layer[i]] = x;
    }
    for (const std::uint32_t vertex : layer) places_[vertex] -= x / 2;
  }

  // Whether it hangs on one edge: then it goes where that leads.
  bool IsEnd(std::uint32_t vertex) const {
    return graph_.vertices[vertex].above.size() + graph_.vertices[vertex].below.size() == 1;
  }

  // How much an edge wants to be straight: long ones most.
  double Pull(std::uint32_t a, std::uint32_t b) const {
    if (IsEnd(a) || IsEnd(b)) return 1.0 / 16;
    const bool bend_a = graph_.IsBend(a), bend_b = graph_.IsBend(b);
    return bend_a && bend_b ? 8 : (bend_a || bend_b ? 2 : 1);
  }

  // Where a vertex would like to be, and how much.
  struct Wish {
    double place = 0;
    double weight = 0;
  };
  Wish WishOf(std::uint32_t vertex, bool looks_up, bool looks_down) const {
    Wish wish;
    const auto add = [&](const std::vector<std::uint32_t>& neighbours) {
      for (const std::uint32_t neighbour : neighbours) {
        const double pull = Pull(vertex, neighbour);
        wish.place += pull * places_[neighbour];
        wish.weight += pull;
      }
    };
    if (looks_up) add(graph_.vertices[vertex].above);
    if (looks_down) add(graph_.vertices[vertex].below);
    constexpr double kNone = 1.0 / 64;
    if (wish.weight == 0) return {places_[vertex], kNone};
    return {wish.place / wish.weight, wish.weight};
  }

  // Least squares of the wishes under the order: with the distances taken off, neighbours that
  // would change places are pooled.
  void MoveLayer(const std::vector<std::uint32_t>& layer, bool looks_up, bool looks_down) {
    struct Pool {
      double sum, weight;
      std::size_t end;
      double place() const { return sum / weight; }
    };
    std::vector<double> offsets(layer.size());
    std::vector<Pool> pools;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      if (i > 0) offsets[i] = offsets[i - 1] + Distance(layer[i - 1], layer[i]);
      const Wish wish = WishOf(layer[i], looks_up, looks_down);
      pools.push_back({(wish.place - offsets[i]) * wish.weight, wish.weight, i + 1});
      while (pools.size() > 1 && pools[pools.size() - 2].place() > pools.back().place()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight, last.end};
      }
    }
    std::size_t i = 0;
    for (const Pool& pool : pools) {
      for (; i < pool.end; ++i) places_[layer[i]] = pool.place() + offsets[i];
    }
  }

  std::vector<std::int32_t> Rounded() const {
    double left = std::numeric_limits<double>::max();
    for (std::uint32_t v = 0; v < places_.size(); ++v)
      left = std::min(left, places_[v] - WidthOf(v) / 2);
    std::vector<std::int32_t> rounded;
    rounded.reserve(places_.size());
    for (const double place : places_)
      rounded.push_back(static_cast<std::int32_t>(std::ceil(place - left)));
    return rounded;
  }

  const LayeredGraph& graph_;
  std::span<const Box> boxes_;
  std::vector<double> places_;
};

}  // namespace

std::vector<std::int32_t> PlaceLayers(const LayeredGraph& graph, std::span<const Box> boxes) {
  return Placer(graph, boxes).Run();
}

}  // namespace dragoman::layout

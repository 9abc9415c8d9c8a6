// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace dragoman::layout {
namespace {

// Edges by the box that they leave.
struct Outgoing {
  std::vector<std::uint32_t> first;  // of each box, in `edges`; one more at the end
  std::vector<std::uint32_t> edges;
};

Outgoing EdgesByOrigin(std::size_t num_boxes, std::span<const Edge> edges) {
  Outgoing out{std::vector<std::uint32_t>(num_boxes + 1), {}};
  for (const Edge& edge : edges) ++out.first[edge.from + 1];
  std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
  out.edges.resize(edges.size());
  std::vector<std::uint32_t> next = out.first;
  for (std::uint32_t i = 0; i < edges.size(); ++i) out.edges[next[edges[i].from]++] = i;
  return out;
}

// Marks the edges that lead back to a box which is being visited, depth first.
class CycleBreaker {
 public:
  CycleBreaker(std::size_t num_boxes, std::span<const Edge> edges)
      : edges_(edges), out_(EdgesByOrigin(num_boxes, edges)), state_(num_boxes, kNew) {}

  std::vector<bool> Run() {
    std::vector<bool> has_origin(state_.size());
    for (const Edge& edge : edges_)
      has_origin[edge.to] = has_origin[edge.to] || edge.from != edge.to;
    turned_.resize(edges_.size());
    for (const bool roots : {true, false}) {
      for (std::uint32_t box = 0; box < state_.size(); ++box) {
        if (has_origin[box] != roots && state_[box] == kNew) Visit(box);
      }
    }
    return std::move(turned_);
  }

 private:
  enum State : std::uint8_t { kNew, kOpen, kDone };

  void Visit(std::uint32_t root) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack = {{root, out_.first[root]}};
    state_[root] = kOpen;
    while (!stack.empty()) {
      auto& [box, next] = stack.back();
      if (next == out_.first[box + 1]) {
        state_[box] = kDone;
        stack.pop_back();
        continue;
      }
      const std::uint32_t edge = out_.edges[next++];
      const std::uint32_t to = edges_[edge].to;
      if (state_[to] == kOpen) turned_[edge] = true;
      if (state_[to] != kNew) continue;
      state_[to] = kOpen;
      stack.emplace_back(to, out_.first[to]);
    }
  }

  std::span<const Edge> edges_;
  Outgoing out_;
  std::vector<State> state_;
  std::vector<bool> turned_;
};

// Finds layers that still have room: a forest in which a full layer points to a later one.
class RoomyLayers {
 public:
  explicit RoomyLayers(std::size_t capacity) : capacity_(capacity) {}

  // Takes a place in the first layer from `layer` on that has one.
  std::uint32_t Take(std::uint32_t layer) {
    layer = Find(layer);
    if (++count_[layer] == capacity_) next_[layer] = layer + 1;
    return layer;
  }

 private:
  std::uint32_t Find(std::uint32_t layer) {
    Grow(layer);
    std::uint32_t root = layer;
    while (next_[root] != root) {
      root = next_[root];
      Grow(root);
    }
    while (next_[layer] != root && layer != root) layer = std::exchange(next_[layer], root);
    return root;
  }

  void Grow(std::uint32_t layer) {
    while (next_.size() <= layer) {
      next_.push_back(static_cast<std::uint32_t>(next_.size()));
      count_.push_back(0);
    }
  }

  std::size_t capacity_;
  std::vector<std::uint32_t> next_;
  std::vector<std::size_t> count_;
};

std::size_t CapacityOf(std::size_t num_boxes) {
  constexpr std::size_t kAtLeast = 14;
  return std::max(kAtLeast,
                  static_cast<std::size_t>(2 * std::sqrt(static_cast<double>(num_boxes))));
}

// Numbers the layers that are used without gaps.
void CloseGaps(Layering& layering) {
  const auto last = std::max_element(layering.layer_of.begin(), layering.layer_of.end());
  std::vector<std::uint32_t> number(last == layering.layer_of.end() ? 0 : *last + 1);
  for (const std::uint32_t layer : layering.layer_of) number[layer] = 1;
  for (std::uint32_t& used : number)
    used = used != 0 ? layering.num_layers++ : std::numeric_limits<std::uint32_t>::max();
  for (std::uint32_t& layer : layering.layer_of) layer = number[layer];
}

}  // namespace

Layering AssignLayers(std::size_t num_boxes, std::span<const Edge> edges) {
  Layering layering{std::vector<std::uint32_t>(num_boxes), 0, CycleBreaker(num_boxes, edges).Run()};
  std::vector<Edge> down;
  std::vector<std::uint32_t> incoming(num_boxes), outgoing(num_boxes);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = edges[i];
    if (edge.from == edge.to) continue;
    down.push_back(layering.turned[i] ? Edge{edge.to, edge.from} : edge);
    ++incoming[down.back().to];
    ++outgoing[down.back().from];
  }
  const Outgoing out = EdgesByOrigin(num_boxes, down);

  // Boxes after all that they are below of: each in the first layer that has room.
  std::vector<std::uint32_t> order, waiting = incoming;
  for (std::uint32_t box = 0; box < num_boxes; ++box) {
    if (waiting[box] == 0) order.push_back(box);
  }
  RoomyLayers layers(CapacityOf(num_boxes));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t box = order[i];
    const std::uint32_t layer = layering.layer_of[box] = layers.Take(layering.layer_of[box]);
    for (std::uint32_t k = out.first[box]; k < out.first[box + 1]; ++k) {
      const std::uint32_t to = down[out.edges[k]].to;
      layering.layer_of[to] = std::max(layering.layer_of[to], layer + 1);
      if (--waiting[to] == 0) order.push_back(to);
    }
  }

  // What more boxes read than it reads moves down to the first of its readers.
  for (auto box = order.rbegin(); box != order.rend(); ++box) {
    if (incoming[*box] >= outgoing[*box]) continue;
    std::uint32_t lowest = std::numeric_limits<std::uint32_t>::max();
    for (std::uint32_t k = out.first[*box]; k < out.first[*box + 1]; ++k)
      lowest = std::min(lowest, layering.layer_of[down[out.edges[k]].to] - 1);
    layering.layer_of[*box] = lowest;
  }
  CloseGaps(layering);
  return layering;
}

}  // namespace dragoman::layout

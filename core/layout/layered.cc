// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layered.h"

#include <algorithm>

#include "core/layout/layered_graph.h"
#include "core/layout/layers.h"
#include "core/layout/order_layers.h"
#include "core/layout/place_layers.h"

namespace dragoman::layout {
namespace {

constexpr std::int32_t kBetweenLayers = 44;
constexpr std::int32_t kMostBetweenLayers = 120;
constexpr std::int32_t kBetweenPorts = 10;

struct Row {
  std::int32_t top = 0;
  std::int32_t bottom = 0;
};

// Rows as high as their highest box; more room where many edges pass.
std::vector<Row> PlaceRows(const LayeredGraph& graph, std::span<const Box> boxes) {
  std::vector<Row> rows;
  std::int32_t top = 0;
  for (const auto& layer : graph.layers) {
    std::int32_t height = 0;
    std::size_t edges = 0;
    for (const std::uint32_t vertex : layer) {
      if (!graph.IsBend(vertex)) height = std::max(height, boxes[vertex].height);
      edges += graph.vertices[vertex].below.size();
    }
    rows.push_back({top, top + height});
    top += height + std::min(kBetweenLayers + static_cast<std::int32_t>(edges), kMostBetweenLayers);
  }
  return rows;
}

// Where edges meet the upper or lower side of their boxes: side by side, in the order of the places
// from which they come.
class Ports {
 public:
  Ports(const LayeredGraph& graph, std::span<const Box> boxes,
        const std::vector<std::int32_t>& places)
      : graph_(graph), boxes_(boxes), places_(places) {
    above_.resize(graph.num_boxes);
    below_.resize(graph.num_boxes);
    for (std::size_t box = 0; box < graph.num_boxes; ++box) {
      above_[box] = Sorted(graph.vertices[box].above);
      below_[box] = Sorted(graph.vertices[box].below);
    }
  }

  std::int32_t Above(std::uint32_t box, std::uint32_t from) const {
    return At(box, from, above_[box]);
  }
  std::int32_t Below(std::uint32_t box, std::uint32_t to) const { return At(box, to, below_[box]); }

 private:
  std::vector<std::uint32_t> Sorted(std::vector<std::uint32_t> neighbours) const {
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      return places_[a] != places_[b] ? places_[a] < places_[b] : a < b;
    };
    std::sort(neighbours.begin(), neighbours.end(), before);
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    return neighbours;
  }

  std::int32_t At(std::uint32_t box, std::uint32_t neighbour,
                  const std::vector<std::uint32_t>& all) const {
    const auto place =
        std::lower_bound(all.begin(), all.end(), neighbour, [&](std::uint32_t a, std::uint32_t b) {
          return places_[a] != places_[b] ? places_[a] < places_[b] : a < b;
        });
    const auto number = static_cast<std::int32_t>(place - all.begin());
    const auto count = static_cast<std::int32_t>(all.size());
    const std::int32_t room = boxes_[box].width * 3 / 5;
    const std::int32_t step = count > 1 ? std::min(kBetweenPorts, room / (count - 1)) : 0;
    return places_[box] + step * number - step * (count - 1) / 2;
  }

  const LayeredGraph& graph_;
  std::span<const Box> boxes_;
  const std::vector<std::int32_t>& places_;
  std::vector<std::vector<std::uint32_t>> above_, below_;
};

// Leaves out points on the way between two bends.
void AppendBend(std::vector<Point>& route, Point point) {
  const std::size_t size = route.size();
  if (size > 3 && route[size - 1].x == point.x && route[size - 2].x == point.x) route.pop_back();
  route.push_back(point);
}

}  // namespace

Drawing DrawLayered(std::span<const Box> boxes, std::span<const Edge> edges) {
  Drawing drawing;
  if (boxes.empty()) return drawing;
  const Layering layering = AssignLayers(boxes.size(), edges);
  LayeredGraph graph = MakeLayeredGraph(boxes.size(), edges, layering);
  OrderLayers(graph);
  const std::vector<std::int32_t> places = PlaceLayers(graph, boxes);
  const std::vector<Row> rows = PlaceRows(graph, boxes);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Row& row = rows[graph.vertices[i].layer];
    const std::int32_t free = row.bottom - row.top - boxes[i].height;
    drawing.corners.push_back({places[i] - boxes[i].width / 2, row.top + free / 2});
    drawing.width = std::max(drawing.width, drawing.corners.back().x + boxes[i].width);
  }
  for (const std::int32_t place : places) drawing.width = std::max(drawing.width, place);
  drawing.height = rows.back().bottom;

  const Ports ports(graph, boxes, places);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    std::vector<Point>& route = drawing.routes.emplace_back();
    const std::vector<std::uint32_t>& path = graph.paths[i];
    if (path.empty()) continue;
    const std::uint32_t first = path.front(), last = path.back();
    const std::int32_t from = ports.Below(first, path[1]);
    const std::int32_t to = ports.Above(last, path[path.size() - 2]);
    route.push_back({from, drawing.corners[first].y + boxes[first].height});
    route.push_back({from, rows[graph.vertices[first].layer].bottom});
    for (std::size_t k = 1; k + 1 < path.size(); ++k) {
      const Row& row = rows[graph.vertices[path[k]].layer];
      AppendBend(route, {places[path[k]], row.top});
      AppendBend(route, {places[path[k]], row.bottom});
    }
    route.push_back({to, rows[graph.vertices[last].layer].top});
    route.push_back({to, drawing.corners[last].y});
    if (layering.turned[i]) std::reverse(route.begin(), route.end());
  }
  return drawing;
}

}  // namespace dragoman::layout

// SPDX-License-Identifier: Apache-2.0
// A graph in layers, in which each edge leads from one layer to the next.
#ifndef DRAGOMAN_CORE_LAYOUT_LAYERED_GRAPH_H_
#define DRAGOMAN_CORE_LAYOUT_LAYERED_GRAPH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/layout/layers.h"

namespace dragoman::layout {

// A box, or a bend of edges that pass its layer. Boxes have the first numbers.
struct Vertex {
  std::uint32_t layer = 0;
  std::vector<std::uint32_t> above;  // neighbours in the layer before, and in the next
  std::vector<std::uint32_t> below;
};

struct LayeredGraph {
  std::size_t num_boxes = 0;
  std::vector<Vertex> vertices;
  std::vector<std::vector<std::uint32_t>> layers;  // vertices from left to right
  // The vertices along each edge, downwards; empty: it is not drawn.
  std::vector<std::vector<std::uint32_t>> paths;

  bool IsBend(std::uint32_t vertex) const { return vertex >= num_boxes; }
};

// Layers stand in the order of the boxes. Edges over very many layers get no path, so that the
// number of bends is linear in that of boxes.
LayeredGraph MakeLayeredGraph(std::size_t num_boxes, std::span<const Edge> edges,
                              const Layering& layering);

}  // namespace dragoman::layout

#endif  // DRAGOMAN_CORE_LAYOUT_LAYERED_GRAPH_H_

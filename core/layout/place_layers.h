// SPDX-License-Identifier: Apache-2.0
// Where vertices lie along their layers.
#ifndef DRAGOMAN_CORE_LAYOUT_PLACE_LAYERS_H_
#define DRAGOMAN_CORE_LAYOUT_PLACE_LAYERS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/layout/layered_graph.h"

namespace dragoman::layout {

// The middle of each vertex, the leftmost box beginning at 0. Vertices keep their order and their
// distance; within that they lie as near as possible to the mean of their neighbours.
std::vector<std::int32_t> PlaceLayers(const LayeredGraph& graph, std::span<const Box> boxes);

}  // namespace dragoman::layout

#endif  // DRAGOMAN_CORE_LAYOUT_PLACE_LAYERS_H_

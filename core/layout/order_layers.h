// SPDX-License-Identifier: Apache-2.0
// The order of vertices within layers.
#ifndef DRAGOMAN_CORE_LAYOUT_ORDER_LAYERS_H_
#define DRAGOMAN_CORE_LAYOUT_ORDER_LAYERS_H_

#include <cstdint>

#include "core/layout/layered_graph.h"

namespace dragoman::layout {

// Orders each layer by the mean places of neighbours, downwards and upwards in turn, and keeps the
// order with the fewest crossings.
void OrderLayers(LayeredGraph& graph);

std::uint64_t CountCrossings(const LayeredGraph& graph);

}  // namespace dragoman::layout

#endif  // DRAGOMAN_CORE_LAYOUT_ORDER_LAYERS_H_

// SPDX-License-Identifier: Apache-2.0
// Which row of a layered drawing each box lies in.
#ifndef DRAGOMAN_CORE_LAYOUT_LAYERS_H_
#define DRAGOMAN_CORE_LAYOUT_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/layout/layered.h"

namespace dragoman::layout {

struct Layering {
  std::vector<std::uint32_t> layer_of;  // of each box, from 0 on, none left empty
  std::uint32_t num_layers = 0;
  std::vector<bool> turned;  // of each edge: it leads upwards
};

// No edge but one to itself stays within a layer. A layer holds at most about twice the square root
// of the number of boxes, so that wide graphs become no endless rows.
Layering AssignLayers(std::size_t num_boxes, std::span<const Edge> edges);

}  // namespace dragoman::layout

#endif  // DRAGOMAN_CORE_LAYOUT_LAYERS_H_

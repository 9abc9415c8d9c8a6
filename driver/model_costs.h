// SPDX-License-Identifier: Apache-2.0
// What a model costs: products, memory of intermediate values, weights.
#ifndef DRAGOMAN_DRIVER_MODEL_COSTS_H_
#define DRAGOMAN_DRIVER_MODEL_COSTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/ir/model.h"

namespace dragoman {

struct ModelCosts {
  // Of the default entry, where its sizes are known; each body of a loop or branch counts once.
  std::optional<std::int64_t> multiply_adds;
  // The most bytes that results of nodes of the default entry take at a time, in the order of the
  // nodes, each from its node to its last use. nullopt: a size is not known.
  std::optional<std::int64_t> peak_activation_bytes;
};

// Of a common model.
ModelCosts CostsOf(const Model& common);

// Constants with elements, wherever they are stored: as constants of graphs, as defaults of inputs,
// in nodes that hold nothing but a constant, and in the objects of a source model.
struct WeightCensus {
  std::size_t constants = 0;
  std::uint64_t parameters = 0;  // elements
  std::uint64_t bytes = 0;
};
WeightCensus WeightsOf(const Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_MODEL_COSTS_H_

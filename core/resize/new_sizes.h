// SPDX-License-Identifier: Apache-2.0
// What both traces of sizes do with a node whose operands have new ones.
#ifndef DRAGOMAN_CORE_RESIZE_NEW_SIZES_H_
#define DRAGOMAN_CORE_RESIZE_NEW_SIZES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ir/graph.h"

namespace dragoman {

// Infers the results of `node` without the sizes that they had. Errors: as of InferNode.
Status InferNewSizes(Node& node, Inference& inference);

// The sizes `to` as a Reshape of `from` takes them: 0 for one that stays, -1 for one that follows.
// nullopt: one is 0, or more are open.
std::optional<std::vector<std::int64_t>> ReshapeSizes(const Shape& from, const Shape& to);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_RESIZE_NEW_SIZES_H_

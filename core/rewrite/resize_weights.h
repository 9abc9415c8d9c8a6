// SPDX-License-Identifier: Apache-2.0
// A Resize along one axis after the other, as a target without that operator has it: products with
// matrices of weights, or copies of elements. The reference kernel gives weights and places.
#ifndef DRAGOMAN_CORE_REWRITE_RESIZE_WEIGHTS_H_
#define DRAGOMAN_CORE_REWRITE_RESIZE_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

struct ResizedAxis {
  std::int64_t axis = 0;
  std::int64_t entry = 0;  // of scales, sizes and regions
  Dim from, to;
};

// All axes that `resize`, from sizes `from` to `to`, names.
std::vector<ResizedAxis> ResizedAxesOf(const Node& resize, const Shape& from, const Shape& to);

// Sizes may be any that a file claims.
bool TakesTooManyWeights(const ResizedAxis& axis, bool copies);

// Of an axis of known sizes, by scales that are constant: the weights (to, from) of `dtype`,
// float32 or float64, or the places whose elements a nearest Resize copies.
Result<Tensor> ResizeWeights(const Node& resize, const ResizedAxis& axis, DType dtype);
Result<std::vector<std::int64_t>> ResizePlaces(const Node& resize, const ResizedAxis& axis);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RESIZE_WEIGHTS_H_

// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of the quantised tensors that a file holds.
#ifndef DRAGOMAN_IMPORTERS_TORCH_CONTAINER_QUANTIZED_GRID_H_
#define DRAGOMAN_IMPORTERS_TORCH_CONTAINER_QUANTIZED_GRID_H_

#include <cstdint>
#include <optional>

#include "core/ir/attribute.h"
#include "core/ir/tensor.h"
#include "core/support/result.h"

namespace dragoman::torch {

// A number is (stored - zero_point) · scale: one pair for the whole tensor, or one for each entry
// of `axis`. The operands of DequantizeLinear: f32, and the element type that is stored.
struct QuantizedGrid {
  Tensor scale;
  Tensor zero_point;
  std::int64_t axis = 0;
};

// Of a tensor as README.md describes it: "scheme", "scale", … beside "tensor". nullopt: it is not
// quantised. Errors: unsupported, where stored integers or zero points are of other types than
// DequantizeLinear takes.
Result<std::optional<QuantizedGrid>> GridOf(const Attribute::Dict& tensor);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_CONTAINER_QUANTIZED_GRID_H_

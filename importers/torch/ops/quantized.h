// SPDX-License-Identifier: Apache-2.0
// Quantised tensors as the common graph has them: the numbers that DequantizeLinear gives. The node
// that made such a tensor says how it is stored.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_QUANTIZED_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_QUANTIZED_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "importers/torch/ops/composer.h"

namespace dragoman::torch {

// Operands of QuantizeLinear and DequantizeLinear. A number is (stored - zero_point) · scale.
struct ValueGrid {
  Value* scale = nullptr;
  Value* zero_point = nullptr;
  std::int64_t axis = 0;
};

// How `x` is stored if it is quantised: the grid of the DequantizeLinear that made it, or that it
// was moved, or selected, from.
std::optional<ValueGrid> ValueGridOf(const Value* x);

// The integers that stand for `x`, and what they say again.
Value* StoredOn(Composer& c, Value* x, const ValueGrid& grid);
Value* RoundedOn(Composer& c, Value* x, const ValueGrid& grid);

// Rounds to the grid that arguments `scale` and `zero_point` of an operator state for its result,
// of 8 unsigned bits as fbgemm's.
Value* Requantize(CallComposer& c, Value* y, std::string_view scale, std::string_view zero_point);

// Torch's own operators on quantised tensors: what `lower` gives for a call whose first operand is
// quantised, rounded as torch's kernel does: to the operand's grid (pools, means, resampling), or
// to one of its own (sigmoid, tanh). All others as they are.
Result<Results> LowerOnGrid(const OpLowering& lower, Call& call);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_QUANTIZED_H_

// SPDX-License-Identifier: Apache-2.0
// Weights of quantised layers, which torch keeps packed: objects of its classes, with the
// attributes that restore_object.h lists.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_PACKED_WEIGHTS_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_PACKED_WEIGHTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/lowering/abstract.h"
#include "importers/torch/ops/composer.h"

namespace dragoman::torch {

class PackedWeights {
 public:
  PackedWeights(Call& call, Abstract object) : call_(&call), object_(std::move(object)) {}

  // nullptr for an attribute that is absent, or of another kind; no items, 0, an empty text.
  Value* Tensor(Composer& c, std::string_view name) const;
  std::vector<std::int64_t> Ints(std::string_view name) const;
  std::int64_t Int(std::string_view name) const;
  std::string Text(std::string_view name) const;
  std::vector<PackedWeights> Objects(std::string_view name) const;

  // The layer on `x`, with its bias. Fails: no packed linear layer.
  Value* Linear(Composer& c, Value* x, bool through_f16) const;

 private:
  const Abstract* Attribute(std::string_view name) const;
  const std::vector<Abstract>* Items(std::string_view name) const;

  Call* call_;
  Abstract object_;
};

// Rounded to 256 steps (128 if the range is reduced) from the least to the greatest element and
// zero, as fbgemm does with the operand of a dynamically quantised product.
Value* RoundedToOwnRange(Composer& c, Value* x, bool reduce_range);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_PACKED_WEIGHTS_H_

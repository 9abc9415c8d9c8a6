// SPDX-License-Identifier: Apache-2.0
// The expression builder of one call whose operands are abstract values: operands as tensors, as
// int64, or as the numbers that they must be known to be. Formats with operators by position derive
// from it and add how attributes are spelled.
#ifndef DRAGOMAN_CORE_LOWERING_OPERAND_COMPOSER_H_
#define DRAGOMAN_CORE_LOWERING_OPERAND_COMPOSER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/lowering/abstract.h"
#include "core/lowering/composer.h"
#include "core/lowering/heap.h"

namespace dragoman {

class OperandComposer : public Composer {
 public:
  // `target`: the operator of the common dialect that the row of the table names, for functions
  // that serve several.
  OperandComposer(Heap& heap, GraphBuilder& builder, std::span<const Abstract> operands,
                  std::string_view target)
      : Composer(builder), heap_(&heap), operands_(operands), target_(target) {}

  Heap& heap() { return *heap_; }
  Abstract NewTensor(Value* value) { return heap_->NewTensor(value); }
  std::string_view target() const { return target_; }

  std::size_t num_operands() const { return operands_.size(); }
  // Fails if the call has fewer operands.
  const Abstract& operand(std::size_t i);
  // The present value of a tensor. Fails for anything else, and for a variable without a value.
  Value* TensorOf(const Abstract& operand);
  Value* Tensor(std::size_t i) { return TensorOf(operand(i)); }
  // Of integers, as int64. Known ones need no Cast.
  Value* Index(std::size_t i);
  // Integers that must be known; fails, naming the operand as `what`.
  std::vector<std::int64_t> KnownInts(std::size_t i, std::string_view what);
  std::int64_t KnownInt(std::size_t i, std::string_view what);
  std::optional<std::vector<std::int64_t>> MaybeKnownInts(std::size_t i);
  // The elements of a constant of any element type; nullptr if it is none, or is not known.
  const dragoman::Tensor* Constant(std::size_t i);
  // The number in a constant of one element.
  std::optional<double> KnownFloat(std::size_t i);

 private:
  Heap* heap_;
  std::span<const Abstract> operands_;
  std::string_view target_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_OPERAND_COMPOSER_H_

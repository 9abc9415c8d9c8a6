// SPDX-License-Identifier: Apache-2.0
// The element type that an operator of torch computes in, given its operands'
// (c10/core/ScalarType.h and ATen/native/TypeProperties.cpp of torch 1.13 and 2.x).
//
// Operands fall into three classes: tensors with dimensions, 0-d tensors, and numbers of the
// program. A class matters only where its category (bool < integer < floating < complex) is above
// that of the classes before it: an int64 0-d tensor leaves int8[3] as it is, a float one makes it
// float.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_PROMOTION_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_PROMOTION_H_

#include <cstdint>
#include <optional>
#include <span>

#include "core/ir/dtype.h"

namespace dragoman::torch {

// torch.get_default_dtype(): an archive holds none, so it is torch's own.
inline constexpr DType kDefaultFloat = DType::kF32;

enum class PromotionClass : std::uint8_t {
  kDimensioned,
  kZeroDim,
  kNumber,
  kUnknownRank,  // of the first two
};

inline PromotionClass PromotionClassOf(std::optional<int> rank) {
  if (!rank) return PromotionClass::kUnknownRank;
  return *rank == 0 ? PromotionClass::kZeroDim : PromotionClass::kDimensioned;
}

struct PromotionOperand {
  DType dtype;
  PromotionClass kind = PromotionClass::kDimensioned;
};

// The smallest type that holds both. kUnknown if either is unknown or torch has none (uint16 with
// int8).
DType PromoteTypes(DType a, DType b);

// torch.result_type over any number of operands; numbers have dtype bool, int64, float64 or
// complex128. kUnknown if it depends on a rank that is not known, or on an unknown element type, or
// if it would be a complex of halves.
DType ResultType(std::span<const PromotionOperand> operands);

// The type of functions whose results are floating: the default float for integers and bool.
inline DType FloatingResult(DType dtype) {
  return IsFloating(dtype) || IsComplex(dtype) || dtype == DType::kUnknown ? dtype : kDefaultFloat;
}

// The type of sums and products: int64 for integers and bool.
inline DType SumResult(DType dtype) {
  return IsInteger(dtype) || dtype == DType::kBool ? DType::kI64 : dtype;
}

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_PROMOTION_H_

// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/promotion.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/ir/dtype_kinds.h"
#include "core/lowering/composer.h"

namespace dragoman::torch {
namespace {

// Beyond this many operands of unknown rank, the type is not known.
constexpr std::size_t kMaxUnknownRanks = 8;

enum class Category { kBool, kInteger, kFloating, kComplex };

Category CategoryOf(DType dtype) {
  if (dtype == DType::kBool) return Category::kBool;
  if (IsComplex(dtype)) return Category::kComplex;
  return IsFloating(dtype) ? Category::kFloating : Category::kInteger;
}

DType PromoteIntegers(DType a, DType b) {
  if (IsWideUnsigned(a) || IsWideUnsigned(b)) return DType::kUnknown;
  if (a == DType::kU8 || b == DType::kU8) {
    const DType other = a == DType::kU8 ? b : a;
    return other == DType::kI8 ? DType::kI16 : other;
  }
  return Info(a).bits >= Info(b).bits ? a : b;
}

DType PromoteFloats(DType a, DType b) {
  if (Info(a).bits < 16 || Info(b).bits < 16) return DType::kUnknown;
  if (Info(a).bits == Info(b).bits) return DType::kF32;  // float16 and bfloat16
  return Info(a).bits > Info(b).bits ? a : b;
}

DType ComplexOf(DType floating) {
  if (floating == DType::kF64) return DType::kC128;
  return floating == DType::kF16 ? DType::kUnknown : DType::kC64;
}

// `higher` is the class that decides, unless `lower` is of a category above it.
DType CombineClasses(DType higher, DType lower) {
  if (higher == DType::kUnknown) return lower;
  if (lower == DType::kUnknown || IsComplex(higher)) return higher;
  if (IsFloating(higher)) return IsComplex(lower) ? ComplexOf(higher) : higher;
  if (higher == DType::kBool || IsFloating(lower) || IsComplex(lower)) {
    return PromoteTypes(higher, lower);
  }
  return higher;
}

DType NumberType(DType number) {
  if (IsComplex(number)) return DType::kC64;
  return IsFloating(number) ? kDefaultFloat : number;
}

struct ClassTypes {
  std::array<DType, 3> types = {};  // by PromotionClass; kUnknown: no operand

  bool Take(PromotionClass kind, DType dtype) {
    DType& type = types[static_cast<std::size_t>(kind)];
    type = type == DType::kUnknown ? dtype : PromoteTypes(type, dtype);
    return type != DType::kUnknown;
  }
};

// With operands of unknown rank taken for 0-d where their bit of `zero_dims` is set.
DType ResultTypeFor(std::span<const PromotionOperand> operands, unsigned zero_dims) {
  ClassTypes classes;
  for (const PromotionOperand& operand : operands) {
    PromotionClass kind = operand.kind;
    if (kind == PromotionClass::kUnknownRank) {
      kind = (zero_dims & 1) != 0 ? PromotionClass::kZeroDim : PromotionClass::kDimensioned;
      zero_dims >>= 1;
    }
    const bool number = kind == PromotionClass::kNumber;
    if (!classes.Take(kind, number ? NumberType(operand.dtype) : operand.dtype))
      return DType::kUnknown;
  }
  const auto& [dimensioned, zero_dim, number] = classes.types;
  const DType below = CombineClasses(zero_dim, number);
  if (below == DType::kUnknown && (zero_dim != number)) return DType::kUnknown;
  return CombineClasses(dimensioned, below);
}

}  // namespace

DType PromoteTypes(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::kUnknown || b == DType::kUnknown) return DType::kUnknown;
  const Category category_a = CategoryOf(a);
  const Category category_b = CategoryOf(b);
  if (category_a == Category::kComplex || category_b == Category::kComplex) {
    const bool wide = Info(RealPart(a)).bits == 64 && category_a >= Category::kFloating;
    const bool other_wide = Info(RealPart(b)).bits == 64 && category_b >= Category::kFloating;
    return wide || other_wide ? DType::kC128 : DType::kC64;
  }
  if (category_a != category_b) return category_a > category_b ? a : b;
  return category_a == Category::kFloating ? PromoteFloats(a, b) : PromoteIntegers(a, b);
}

DType ResultType(std::span<const PromotionOperand> operands) {
  std::size_t unknown = 0;
  for (const PromotionOperand& operand : operands) {
    if (operand.dtype == DType::kUnknown) return DType::kUnknown;
    if (operand.kind == PromotionClass::kUnknownRank) ++unknown;
  }
  const bool equal = std::all_of(operands.begin(), operands.end(), [&](const auto& operand) {
    return operand.dtype == operands[0].dtype && operand.kind != PromotionClass::kNumber;
  });
  if (equal && !operands.empty()) return operands[0].dtype;
  if (unknown > kMaxUnknownRanks) return DType::kUnknown;
  std::optional<DType> result;
  for (unsigned zero_dims = 0; zero_dims < (1U << unknown); ++zero_dims) {
    const DType type = ResultTypeFor(operands, zero_dims);
    if (result && *result != type) return DType::kUnknown;
    result = type;
  }
  return *result;
}

}  // namespace dragoman::torch

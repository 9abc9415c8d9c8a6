// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/scalar.h"

#include <cmath>

#include "core/ops/op_def.h"
#include "core/rewrite/pass_context.h"

namespace dragoman {

std::optional<float> ScalarOf(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr || tensor->size() != 1 || tensor->dtype() != DType::kF32)
    return std::nullopt;
  return static_cast<float>(tensor->FloatAt(0));
}

namespace {

bool IsReal(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kF32 ||
         dtype == DType::kF64;
}

std::optional<double> RealOf(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr || tensor->size() != 1 || !IsReal(tensor->dtype())) return std::nullopt;
  return tensor->FloatAt(0);
}

// The relative error of a number of a formula.
double ErrorIn(DType dtype) {
  if (dtype == DType::kF16) return 0x1p-11;
  if (dtype == DType::kBF16) return 0x1p-8;
  return dtype == DType::kF32 ? 5e-6 : 1e-14;
}

// Whether bf16 and f16 hold it: 8 digits, which f16 has from 2^-14 on.
bool IsNeverRounded(double number) {
  int exponent = 0;
  const double digits = std::ldexp(std::frexp(number, &exponent), 8);
  return digits == std::floor(digits) && exponent > -14 && exponent <= 16;
}

}  // namespace

std::optional<float> FormulaNumber(const Value* value) {
  const std::optional<double> real = RealOf(value);
  const float number = static_cast<float>(real.value_or(0));
  return real && (number == *real || std::isnan(*real)) ? std::optional(number) : std::nullopt;
}

bool IsReadAs(std::string_view type, const Value* x) {
  const DType dtype = x->type().dtype();
  const Signature& signature = FindOp(type)->signature;
  const auto& allowed =
      signature.variables[static_cast<std::size_t>(signature.operands[0].variable)];
  return IsReal(dtype) && allowed.allowed.Has(dtype);
}

bool IsAbout(const Tensor& scalar, double number) {
  const DType dtype = scalar.dtype();
  if (IsInteger(dtype) || dtype == DType::kBool)
    return static_cast<double>(scalar.IntAt(0)) == number;
  if (!IsReal(dtype)) return false;
  const double found = scalar.FloatAt(0);
  if (!std::isfinite(number) || IsNeverRounded(number)) return found == number;
  return std::abs(found - number) <= ErrorIn(dtype) * std::abs(number);
}

}  // namespace dragoman

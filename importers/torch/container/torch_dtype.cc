// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/torch_dtype.h"

#include <algorithm>
#include <array>

namespace dragoman::torch {
namespace {

constexpr std::array<TorchDTypeInfo, 26> kDTypes = {{
    {TorchDType::kU8, "uint8", "Byte", DType::kU8, 8, false},
    {TorchDType::kI8, "int8", "Char", DType::kI8, 8, false},
    {TorchDType::kI16, "int16", "Short", DType::kI16, 16, false},
    {TorchDType::kI32, "int32", "Int", DType::kI32, 32, false},
    {TorchDType::kI64, "int64", "Long", DType::kI64, 64, false},
    {TorchDType::kF16, "float16", "Half", DType::kF16, 16, false},
    {TorchDType::kF32, "float32", "Float", DType::kF32, 32, false},
    {TorchDType::kF64, "float64", "Double", DType::kF64, 64, false},
    {TorchDType::kC32, "complex32", "ComplexHalf", DType::kUnknown, 32, false},
    {TorchDType::kC64, "complex64", "ComplexFloat", DType::kC64, 64, false},
    {TorchDType::kC128, "complex128", "ComplexDouble", DType::kC128, 128, false},
    {TorchDType::kBool, "bool", "Bool", DType::kBool, 8, false},
    {TorchDType::kQI8, "qint8", "QInt8", DType::kI8, 8, true},
    {TorchDType::kQU8, "quint8", "QUInt8", DType::kU8, 8, true},
    {TorchDType::kQI32, "qint32", "QInt32", DType::kI32, 32, true},
    {TorchDType::kBF16, "bfloat16", "BFloat16", DType::kBF16, 16, false},
    {TorchDType::kQU4x2, "quint4x2", "QUInt4x2", DType::kU4, 4, true},
    {TorchDType::kQU2x4, "quint2x4", "QUInt2x4", DType::kU2, 2, true},
    {TorchDType::kF8E5M2, "float8_e5m2", "Float8_e5m2", DType::kF8E5M2, 8, false},
    {TorchDType::kF8E4M3FN, "float8_e4m3fn", "Float8_e4m3fn", DType::kF8E4M3FN, 8, false},
    {TorchDType::kF8E5M2FNUZ, "float8_e5m2fnuz", "Float8_e5m2fnuz", DType::kF8E5M2FNUZ, 8, false},
    {TorchDType::kF8E4M3FNUZ, "float8_e4m3fnuz", "Float8_e4m3fnuz", DType::kF8E4M3FNUZ, 8, false},
    {TorchDType::kU16, "uint16", "UInt16", DType::kU16, 16, false},
    {TorchDType::kU32, "uint32", "UInt32", DType::kU32, 32, false},
    {TorchDType::kU64, "uint64", "UInt64", DType::kU64, 64, false},
    {TorchDType::kF8E8M0FNU, "float8_e8m0fnu", "Float8_e8m0fnu", DType::kF8E8M0, 8, false},
}};

template <class Predicate>
const TorchDTypeInfo* Find(Predicate predicate) {
  const auto* found = std::find_if(kDTypes.begin(), kDTypes.end(), predicate);
  return found == kDTypes.end() ? nullptr : found;
}

}  // namespace

std::span<const TorchDTypeInfo> AllTorchDTypes() { return kDTypes; }

const TorchDTypeInfo& Info(TorchDType dtype) {
  return *Find([&](const TorchDTypeInfo& info) { return info.dtype == dtype; });
}

std::optional<TorchDType> TorchDTypeFromNumber(std::int64_t number) {
  const TorchDTypeInfo* info = Find(
      [&](const TorchDTypeInfo& row) { return static_cast<std::int64_t>(row.dtype) == number; });
  return info == nullptr ? std::nullopt : std::optional(info->dtype);
}

std::optional<TorchDType> ToTorchDType(DType dtype) {
  const TorchDTypeInfo* info = Find([&](const TorchDTypeInfo& row) {
    return dtype != DType::kUnknown && row.element == dtype && !row.is_quantized;
  });
  return info == nullptr ? std::nullopt : std::optional(info->dtype);
}

}  // namespace dragoman::torch

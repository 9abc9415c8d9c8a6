// SPDX-License-Identifier: Apache-2.0
// torch's element types by the numbers that stand in TorchScript code (c10/core/ScalarType.h).
#ifndef DRAGOMAN_IMPORTERS_TORCH_CONTAINER_TORCH_DTYPE_H_
#define DRAGOMAN_IMPORTERS_TORCH_CONTAINER_TORCH_DTYPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/ir/dtype.h"

namespace dragoman::torch {

enum class TorchDType : std::int8_t {
  kU8 = 0,
  kI8 = 1,
  kI16 = 2,
  kI32 = 3,
  kI64 = 4,
  kF16 = 5,
  kF32 = 6,
  kF64 = 7,
  kC32 = 8,
  kC64 = 9,
  kC128 = 10,
  kBool = 11,
  kQI8 = 12,
  kQU8 = 13,
  kQI32 = 14,
  kBF16 = 15,
  kQU4x2 = 16,
  kQU2x4 = 17,
  kF8E5M2 = 23,
  kF8E4M3FN = 24,
  kF8E5M2FNUZ = 25,
  kF8E4M3FNUZ = 26,
  kU16 = 27,
  kU32 = 28,
  kU64 = 29,
  kF8E8M0FNU = 44,
};

struct TorchDTypeInfo {
  TorchDType dtype;
  std::string_view name;     // "float32", as in torch.float32
  std::string_view storage;  // "Float", as in torch.FloatStorage
  DType element;             // of the stored integers if quantised; kUnknown for complex32
  int bits;                  // of one element
  bool is_quantized;
};

std::span<const TorchDTypeInfo> AllTorchDTypes();
const TorchDTypeInfo& Info(TorchDType dtype);
// nullopt: no such number, or one that no archive holds.
std::optional<TorchDType> TorchDTypeFromNumber(std::int64_t number);
// Of an unquantised tensor; nullopt for strings and types that torch lacks.
std::optional<TorchDType> ToTorchDType(DType dtype);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_CONTAINER_TORCH_DTYPE_H_

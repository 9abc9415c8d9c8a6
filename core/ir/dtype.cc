// SPDX-License-Identifier: Apache-2.0
#include "core/ir/dtype.h"

#include <array>
#include <limits>

namespace dragoman {
namespace {

constexpr DTypeInfo kUnknownInfo = {DType::kUnknown, "?", "unknown", 0, false, false, false};

constexpr std::array<DTypeInfo, 26> kInfos = {{
    {DType::kF32, "f32", "float32", 32, true, false, true},
    {DType::kU8, "u8", "uint8", 8, false, true, false},
    {DType::kI8, "i8", "int8", 8, false, true, true},
    {DType::kU16, "u16", "uint16", 16, false, true, false},
    {DType::kI16, "i16", "int16", 16, false, true, true},
    {DType::kI32, "i32", "int32", 32, false, true, true},
    {DType::kI64, "i64", "int64", 64, false, true, true},
    {DType::kString, "str", "string", 0, false, false, false},
    {DType::kBool, "bool", "bool", 8, false, false, false},
    {DType::kF16, "f16", "float16", 16, true, false, true},
    {DType::kF64, "f64", "float64", 64, true, false, true},
    {DType::kU32, "u32", "uint32", 32, false, true, false},
    {DType::kU64, "u64", "uint64", 64, false, true, false},
    {DType::kC64, "c64", "complex64", 64, false, false, true},
    {DType::kC128, "c128", "complex128", 128, false, false, true},
    {DType::kBF16, "bf16", "bfloat16", 16, true, false, true},
    {DType::kF8E4M3FN, "f8e4m3fn", "float8_e4m3fn", 8, true, false, true},
    {DType::kF8E4M3FNUZ, "f8e4m3fnuz", "float8_e4m3fnuz", 8, true, false, true},
    {DType::kF8E5M2, "f8e5m2", "float8_e5m2", 8, true, false, true},
    {DType::kF8E5M2FNUZ, "f8e5m2fnuz", "float8_e5m2fnuz", 8, true, false, true},
    {DType::kU4, "u4", "uint4", 4, false, true, false},
    {DType::kI4, "i4", "int4", 4, false, true, true},
    {DType::kF4E2M1, "f4e2m1", "float4_e2m1", 4, true, false, true},
    {DType::kF8E8M0, "f8e8m0", "float8_e8m0", 8, true, false, false},
    {DType::kU2, "u2", "uint2", 2, false, true, false},
    {DType::kI2, "i2", "int2", 2, false, true, true},
}};

}  // namespace

std::span<const DTypeInfo> AllDTypes() { return kInfos; }

const DTypeInfo& Info(DType dtype) {
  auto number = static_cast<std::size_t>(dtype);
  return number == 0 || number > kInfos.size() ? kUnknownInfo : kInfos[number - 1];
}

bool IsDTypeNumber(std::int64_t number) {
  return number >= 1 && number <= static_cast<std::int64_t>(kInfos.size());
}

std::optional<DType> DTypeFromName(std::string_view name) {
  for (const DTypeInfo& info : kInfos) {
    if (name == info.name || name == info.numpy_name) return info.dtype;
  }
  return std::nullopt;
}

std::optional<std::size_t> PackedBytes(DType dtype, std::int64_t count) {
  const auto bits = static_cast<std::uint64_t>(Info(dtype).bits);
  if (bits == 0 || count < 0) return std::nullopt;
  const auto n = static_cast<std::uint64_t>(count);
  if (n > (std::numeric_limits<std::uint64_t>::max() - 7) / bits) return std::nullopt;
  return static_cast<std::size_t>((n * bits + 7) / 8);
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/nd_array.h"

#include <cstdint>

namespace dragoman::relay::emit {
namespace {

constexpr std::uint64_t kArrayMagic = 0xDD5E40F096B4A13F;
constexpr std::uint64_t kParamsMagic = 0xF7E58D4F05049CB7;

void Put(std::string& bytes, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

// int 0, uint 1, float 2, bfloat 4; bool is an unsigned integer of one bit.
struct TypeCode {
  std::uint8_t code = 0;
  std::uint8_t bits = 0;
};

TypeCode TypeCodeOf(DType dtype) {
  const auto bits = static_cast<std::uint8_t>(Info(dtype).bits);
  if (dtype == DType::kBool) return {1, 1};
  if (dtype == DType::kBF16) return {4, bits};
  if (IsFloating(dtype)) return {2, bits};
  return {static_cast<std::uint8_t>(Info(dtype).is_signed ? 0 : 1), bits};
}

}  // namespace

std::string_view RelayDType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kI8:
    case DType::kI16:
    case DType::kI32:
    case DType::kI64:
    case DType::kU8:
    case DType::kU16:
    case DType::kU32:
    case DType::kU64:
    case DType::kF16:
    case DType::kBF16:
    case DType::kF32:
    case DType::kF64:
      return NumpyName(dtype);
    default:
      return "";
  }
}

std::string NdArrayBytes(const Tensor& tensor) {
  constexpr std::uint64_t kCpu = 1;
  const TypeCode type = TypeCodeOf(tensor.dtype());
  std::string bytes;
  Put(bytes, kArrayMagic, 8);
  Put(bytes, 0, 8);
  Put(bytes, kCpu, 4);
  Put(bytes, 0, 4);
  Put(bytes, static_cast<std::uint64_t>(tensor.rank()), 4);
  Put(bytes, type.code, 1);
  Put(bytes, type.bits, 1);
  Put(bytes, 1, 2);
  for (const std::int64_t size : tensor.sizes()) Put(bytes, static_cast<std::uint64_t>(size), 8);
  Put(bytes, tensor.bytes().size(), 8);
  bytes.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  return bytes;
}

std::string ParamsBytes(const std::vector<std::pair<std::string, Tensor>>& arrays) {
  std::string bytes;
  Put(bytes, kParamsMagic, 8);
  Put(bytes, 0, 8);
  Put(bytes, arrays.size(), 8);
  for (const auto& [name, tensor] : arrays) {
    Put(bytes, name.size(), 8);
    bytes += name;
  }
  Put(bytes, arrays.size(), 8);
  for (const auto& [name, tensor] : arrays) bytes += NdArrayBytes(tensor);
  return bytes;
}

}  // namespace dragoman::relay::emit

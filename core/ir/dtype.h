// SPDX-License-Identifier: Apache-2.0
// Element types. The numbers are ONNX's TensorProto.DataType, so that no table is needed there.
#ifndef DRAGOMAN_CORE_IR_DTYPE_H_
#define DRAGOMAN_CORE_IR_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace dragoman {

enum class DType : std::uint8_t {
  kUnknown = 0,
  kF32 = 1,
  kU8 = 2,
  kI8 = 3,
  kU16 = 4,
  kI16 = 5,
  kI32 = 6,
  kI64 = 7,
  kString = 8,
  kBool = 9,
  kF16 = 10,
  kF64 = 11,
  kU32 = 12,
  kU64 = 13,
  kC64 = 14,   // complex of two float32
  kC128 = 15,  // complex of two float64
  kBF16 = 16,
  kF8E4M3FN = 17,
  kF8E4M3FNUZ = 18,
  kF8E5M2 = 19,
  kF8E5M2FNUZ = 20,
  kU4 = 21,
  kI4 = 22,
  kF4E2M1 = 23,
  kF8E8M0 = 24,
  kU2 = 25,
  kI2 = 26,
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;        // in graph text: "f32"
  std::string_view numpy_name;  // in index.json and Relax text: "float32"
  int bits;                     // of one element; 0 for strings
  bool is_floating;
  bool is_integer;  // bool is not an integer
  bool is_signed;
};

// All element types but kUnknown, by number.
std::span<const DTypeInfo> AllDTypes();
// The row of `dtype`; that of kUnknown has the name "?".
const DTypeInfo& Info(DType dtype);
// Whether `number` is an element type that this version knows (kUnknown is not).
bool IsDTypeNumber(std::int64_t number);
// By either name.
std::optional<DType> DTypeFromName(std::string_view name);

inline std::string_view Name(DType dtype) { return Info(dtype).name; }
inline std::string_view NumpyName(DType dtype) { return Info(dtype).numpy_name; }
inline bool IsFloating(DType dtype) { return Info(dtype).is_floating; }
inline bool IsInteger(DType dtype) { return Info(dtype).is_integer; }
inline bool IsComplex(DType dtype) { return dtype == DType::kC64 || dtype == DType::kC128; }

// Bytes that `count` packed elements take (4-bit types: two a byte); nullopt on overflow or for
// strings.
std::optional<std::size_t> PackedBytes(DType dtype, std::int64_t count);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_DTYPE_H_

// SPDX-License-Identifier: Apache-2.0
#include "proto/tensorflow/data_type.h"

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/support/text.h"

namespace dragoman::tf_codec {
namespace {

struct Row {
  int number;
  DType dtype;                   // that elements are stored in
  std::string_view opaque = {};  // the name, where the type is more than that
};

constexpr std::array<Row, 25> kRows = {{
    {1, DType::kF32},
    {2, DType::kF64},
    {3, DType::kI32},
    {4, DType::kU8},
    {5, DType::kI16},
    {6, DType::kI8},
    {7, DType::kString},
    {8, DType::kC64},
    {9, DType::kI64},
    {10, DType::kBool},
    {11, DType::kI8, "qint8"},
    {12, DType::kU8, "quint8"},
    {13, DType::kI32, "qint32"},
    {14, DType::kBF16},
    {15, DType::kI16, "qint16"},
    {16, DType::kU16, "quint16"},
    {17, DType::kU16},
    {18, DType::kC128},
    {19, DType::kF16},
    {20, DType::kUnknown, "resource"},
    {21, DType::kUnknown, "variant"},
    {22, DType::kU32},
    {23, DType::kU64},
    {24, DType::kF8E5M2},
    {25, DType::kF8E4M3FN},
}};

constexpr std::string_view kDomain = "tf";
constexpr std::string_view kRef = "ref ";
constexpr int kRefOffset = 100;

const Row* RowOf(int number) {
  const bool known = number >= 1 && number <= static_cast<int>(kRows.size());
  return known ? &kRows[static_cast<std::size_t>(number - 1)] : nullptr;
}

Type Opaque(std::string name) { return Type::Opaque(std::string(kDomain), std::move(name)); }

std::string NameOf(const Row& row) {
  return std::string(row.opaque.empty() ? Name(row.dtype) : row.opaque);
}

std::optional<int> NumberOf(std::string_view name) {
  if (name.starts_with(kRef)) {
    const std::optional<int> number = NumberOf(name.substr(kRef.size()));
    if (!number || *number >= kRefOffset) return std::nullopt;
    return *number + kRefOffset;
  }
  for (const Row& row : kRows) {
    if (NameOf(row) == name) return row.number;
  }
  const std::optional<std::int64_t> number = ParseInt64(name);
  const bool fits = number && *number >= std::numeric_limits<int>::min() &&
                    *number <= std::numeric_limits<int>::max();
  return fits ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

}  // namespace

Type TypeOfDataType(int number) {
  if (number == 0) return Type();
  if (const Row* row = RowOf(number)) {
    return row->opaque.empty() ? Type::Tensor(row->dtype) : Opaque(std::string(row->opaque));
  }
  const Row* base = number > kRefOffset ? RowOf(number - kRefOffset) : nullptr;
  return Opaque(base != nullptr ? std::string(kRef) + NameOf(*base) : std::to_string(number));
}

std::optional<int> DataTypeOf(const Type& type) {
  if (!type.known()) return 0;
  if (type.kind() == Type::Kind::kOpaque && type.opaque_domain() == kDomain) {
    return NumberOf(type.opaque_name());
  }
  if (!type.is_tensor()) return std::nullopt;
  for (const Row& row : kRows) {
    if (row.opaque.empty() && row.dtype == type.dtype()) return row.number;
  }
  return std::nullopt;
}

DType StorageOf(int number) {
  const Row* row = RowOf(number);
  return row == nullptr ? DType::kUnknown : row->dtype;
}

std::optional<Type> TypeOfShape(const tf_pb::TensorShapeProto& shape) {
  if (shape.unknown_rank()) {
    if (shape.dim_size() > 0) return std::nullopt;
    return Type::Tensor(DType::kUnknown);
  }
  Shape sizes;
  for (const auto& dim : shape.dim()) {
    if (!dim.name().empty() || dim.size() < -1) return std::nullopt;
    sizes.push_back(dim.size() < 0 ? Dim::Unknown() : Dim(dim.size()));
  }
  return Type::Tensor(DType::kUnknown, std::move(sizes));
}

bool FillShape(const Type& type, tf_pb::TensorShapeProto* shape) {
  shape->Clear();
  if (type.shape() == nullptr) {
    shape->set_unknown_rank(true);
    return true;
  }
  for (const Dim& dim : *type.shape()) {
    if (dim.symbolic()) return false;
    shape->add_dim()->set_size(dim.known() ? dim.value() : -1);
  }
  return true;
}

Type TypeOf(int data_type, const tf_pb::TensorShapeProto& shape) {
  Type type = TypeOfDataType(data_type);
  const std::optional<Type> sizes = TypeOfShape(shape);
  if (!type.is_tensor() || !sizes || sizes->shape() == nullptr) return type;
  return type.WithShape(*sizes->shape());
}

}  // namespace dragoman::tf_codec

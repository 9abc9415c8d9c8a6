// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/take_type.h"

#include <optional>

#include "importers/onnx/message_to_dict.h"

namespace dragoman::onnx_reader {
namespace {

using onnx_pb::TypeProto;

Dim TakeDim(onnx_pb::TensorShapeProto::Dimension* message) {
  if (message->has_dim_value() && message->dim_value() >= 0) {
    const std::int64_t value = message->dim_value();
    message->clear_value();
    return value;
  }
  if (message->has_dim_param() && !message->dim_param().empty() && message->dim_param() != "?") {
    Dim symbol = Dim::Symbol(message->dim_param());
    message->clear_value();
    return symbol;
  }
  return Dim::Unknown();
}

std::optional<Shape> TakeShape(onnx_pb::TensorShapeProto* message) {
  Shape shape;
  for (auto& dim : *message->mutable_dim()) shape.push_back(TakeDim(&dim));
  ClearIfAllEmpty(message->mutable_dim());
  return shape;
}

// For the messages Tensor and SparseTensor.
template <class Message>
std::optional<Shape> TakeShapeOf(Message* message) {
  if (!message->has_shape()) return std::nullopt;
  std::optional<Shape> shape = TakeShape(message->mutable_shape());
  if (IsEmpty(message->shape())) message->clear_shape();
  return shape;
}

template <class Message>
DType TakeElementType(Message* message) {
  if (!IsDTypeNumber(message->elem_type())) return DType::kUnknown;
  const auto dtype = static_cast<DType>(message->elem_type());
  message->clear_elem_type();
  return dtype;
}

DType TakeKeyType(TypeProto::Map* message) {
  if (!IsDTypeNumber(message->key_type())) return DType::kUnknown;
  const auto dtype = static_cast<DType>(message->key_type());
  message->clear_key_type();
  return dtype;
}

Type TakeOpaque(TypeProto::Opaque* message) {
  Type type = Type::Opaque(message->domain(), message->name());
  if (!message->domain().empty()) message->clear_domain();
  if (!message->name().empty()) message->clear_name();
  return type;
}

Type TakeNested(TypeProto* message);

// For the messages Sequence and Optional.
template <class Message>
Type TakeElement(Message* message) {
  if (!message->has_elem_type()) return Type();
  Type element = TakeNested(message->mutable_elem_type());
  if (element.known() && IsEmpty(message->elem_type())) message->clear_elem_type();
  return element;
}

Type TakeMapped(TypeProto::Map* message) {
  if (!message->has_value_type()) return Type();
  Type value = TakeNested(message->mutable_value_type());
  if (value.known() && IsEmpty(message->value_type())) message->clear_value_type();
  return value;
}

Type TakeCase(TypeProto* message) {
  switch (message->value_case()) {
    case TypeProto::kTensorType: {
      TypeProto::Tensor* tensor = message->mutable_tensor_type();
      const DType dtype = TakeElementType(tensor);
      return Type::Tensor(dtype, TakeShapeOf(tensor));
    }
    case TypeProto::kSparseTensorType: {
      TypeProto::SparseTensor* tensor = message->mutable_sparse_tensor_type();
      const DType dtype = TakeElementType(tensor);
      return Type::SparseTensor(dtype, TakeShapeOf(tensor));
    }
    case TypeProto::kSequenceType:
      return Type::Sequence(TakeElement(message->mutable_sequence_type()));
    case TypeProto::kOptionalType:
      return Type::Optional(TakeElement(message->mutable_optional_type()));
    case TypeProto::kMapType: {
      const DType key = TakeKeyType(message->mutable_map_type());
      return Type::Map(key, TakeMapped(message->mutable_map_type()));
    }
    case TypeProto::kOpaqueType:
      return TakeOpaque(message->mutable_opaque_type());
    case TypeProto::VALUE_NOT_SET:
      break;
  }
  return Type();
}

bool CaseIsEmpty(const TypeProto& message) {
  switch (message.value_case()) {
    case TypeProto::kTensorType:
      return IsEmpty(message.tensor_type());
    case TypeProto::kSparseTensorType:
      return IsEmpty(message.sparse_tensor_type());
    case TypeProto::kSequenceType:
      return IsEmpty(message.sequence_type());
    case TypeProto::kOptionalType:
      return IsEmpty(message.optional_type());
    case TypeProto::kMapType:
      return IsEmpty(message.map_type());
    case TypeProto::kOpaqueType:
      return IsEmpty(message.opaque_type());
    case TypeProto::VALUE_NOT_SET:
      break;
  }
  return false;
}

Type TakeNested(TypeProto* message) {
  Type type = TakeCase(message);
  if (CaseIsEmpty(*message)) message->clear_value();
  return type;
}

const TypeProto* Inner(const TypeProto& message) {
  switch (message.value_case()) {
    case TypeProto::kSequenceType:
      return &message.sequence_type().elem_type();
    case TypeProto::kOptionalType:
      return &message.optional_type().elem_type();
    case TypeProto::kMapType:
      return &message.map_type().value_type();
    default:
      return nullptr;
  }
}

}  // namespace

Type TakeType(TypeProto* message) {
  int nesting = 0;
  for (const TypeProto* at = message; at != nullptr; at = Inner(*at)) {
    if (++nesting > Type::kMaxNesting) return Type();
  }
  return TakeNested(message);
}

}  // namespace dragoman::onnx_reader

// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/fill_type.h"

#include <cstddef>
#include <string>

#include "exporters/onnx/dict_to_message.h"

namespace dragoman::onnx_writer {
namespace {

void FillShape(const Shape& shape, onnx_pb::TensorShapeProto* message) {
  FitSize(shape.size(), message->mutable_dim());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    auto* dim = message->mutable_dim(static_cast<int>(i));
    if (shape[i].known()) {
      dim->set_dim_value(shape[i].value());
    } else if (shape[i].symbolic()) {
      const std::string* symbol = shape[i].symbol();
      dim->set_dim_param(symbol != nullptr ? *symbol : shape[i].ToString());
    }
  }
}

// For the messages Tensor and SparseTensor.
template <class Message>
void FillTensor(const Type& type, Message* message) {
  if (type.dtype() != DType::kUnknown) message->set_elem_type(static_cast<int>(type.dtype()));
  if (type.shape() != nullptr) {
    FillShape(*type.shape(), message->mutable_shape());
  } else {
    message->clear_shape();
  }
}

void FillOpaque(const Type& type, onnx_pb::TypeProto::Opaque* message) {
  if (!type.opaque_domain().empty()) message->set_domain(type.opaque_domain());
  if (!type.opaque_name().empty()) message->set_name(type.opaque_name());
}

}  // namespace

Status FillType(const Type& type, onnx_pb::TypeProto* message) {
  switch (type.kind()) {
    case Type::Kind::kUnknown:
      return {};
    case Type::Kind::kTensor:
      FillTensor(type, message->mutable_tensor_type());
      return {};
    case Type::Kind::kSparseTensor:
      FillTensor(type, message->mutable_sparse_tensor_type());
      return {};
    case Type::Kind::kOpaque:
      FillOpaque(type, message->mutable_opaque_type());
      return {};
    case Type::Kind::kSequence: {
      auto* sequence = message->mutable_sequence_type();
      return type.element().known() ? FillType(type.element(), sequence->mutable_elem_type())
                                    : Status();
    }
    case Type::Kind::kOptional: {
      auto* optional = message->mutable_optional_type();
      return type.element().known() ? FillType(type.element(), optional->mutable_elem_type())
                                    : Status();
    }
    case Type::Kind::kMap: {
      auto* map = message->mutable_map_type();
      if (type.map_key() != DType::kUnknown) map->set_key_type(static_cast<int>(type.map_key()));
      return type.element().known() ? FillType(type.element(), map->mutable_value_type())
                                    : Status();
    }
    case Type::Kind::kTuple:
    case Type::Kind::kControl:
      break;
  }
  return Unsupported("ONNX has no type " + type.ToString());
}

}  // namespace dragoman::onnx_writer

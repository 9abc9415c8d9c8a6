// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/fill_tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/ir/find_as.h"
#include "exporters/onnx/dict_to_message.h"
#include "proto/onnx/extra.h"

namespace dragoman::onnx_writer {
namespace {

using google::protobuf::RepeatedField;
using onnx_pb::TensorProto;

template <class T, class Wide>
void Widen(std::span<const std::byte> bytes, RepeatedField<Wide>* numbers) {
  numbers->Reserve(static_cast<int>(bytes.size() / sizeof(T)));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    numbers->Add(static_cast<Wide>(number));
  }
}

bool EncodeInt32Data(const Tensor& tensor, RepeatedField<std::int32_t>* numbers) {
  switch (tensor.dtype()) {
    case DType::kI32:
      Widen<std::int32_t>(tensor.bytes(), numbers);
      return true;
    case DType::kI16:
      Widen<std::int16_t>(tensor.bytes(), numbers);
      return true;
    case DType::kI8:
      Widen<std::int8_t>(tensor.bytes(), numbers);
      return true;
    case DType::kU16:
    case DType::kF16:
    case DType::kBF16:
      Widen<std::uint16_t>(tensor.bytes(), numbers);
      return true;
    default:
      break;
  }
  if (Info(tensor.dtype()).bits > 8) return false;
  Widen<std::uint8_t>(tensor.bytes(), numbers);
  return true;
}

// False if that field does not hold elements of that type.
bool EncodeTyped(const Tensor& tensor, std::string_view field, TensorProto* message) {
  const DType dtype = tensor.dtype();
  if (field == onnx_extra::kNoEncoding) return tensor.size() == 0;
  if (field == "int32_data") return EncodeInt32Data(tensor, message->mutable_int32_data());
  if (field == "float_data" && (dtype == DType::kF32 || dtype == DType::kC64)) {
    Widen<float>(tensor.bytes(), message->mutable_float_data());
  } else if (field == "double_data" && (dtype == DType::kF64 || dtype == DType::kC128)) {
    Widen<double>(tensor.bytes(), message->mutable_double_data());
  } else if (field == "int64_data" && dtype == DType::kI64) {
    Widen<std::int64_t>(tensor.bytes(), message->mutable_int64_data());
  } else if (field == "uint64_data" && dtype == DType::kU64) {
    Widen<std::uint64_t>(tensor.bytes(), message->mutable_uint64_data());
  } else if (field == "uint64_data" && dtype == DType::kU32) {
    Widen<std::uint32_t>(tensor.bytes(), message->mutable_uint64_data());
  } else {
    return false;
  }
  return true;
}

void FillBytes(const Tensor& tensor, std::string_view encoding, WriteContext* context,
               TensorProto* message) {
  using Data = WriteOnnxOptions::Data;
  const Data data = context->options.data;
  const bool was_external = message->data_location() == TensorProto::EXTERNAL;
  if (was_external && (data == Data::kKeep || data == Data::kExternal))
    return context->external.Keep(tensor.bytes(), message);
  if (was_external) {
    message->clear_data_location();
    message->clear_external_data();
  }
  if ((data == Data::kExternal || data == Data::kBySize) &&
      tensor.bytes().size() >= std::max<std::size_t>(context->options.min_external_bytes, 1)) {
    return context->external.Add(tensor.bytes(), message);
  }
  if (EncodeTyped(tensor, encoding, message)) return;
  message->set_raw_data(context->bulk.Token(tensor.bytes()));
}

}  // namespace

Encodings::Encodings(const Extra* extra) {
  if (const auto* list = FindAs<Attribute::Strings>(extra, onnx_extra::kTensorEncoding))
    list_ = *list;
}

void FillTensor(const Tensor& tensor, std::string_view encoding, WriteContext* context,
                TensorProto* message) {
  for (const std::int64_t size : tensor.sizes()) message->add_dims(size);
  if (tensor.dtype() == DType::kUnknown) return;
  message->set_data_type(static_cast<int>(tensor.dtype()));
  if (tensor.dtype() != DType::kString) return FillBytes(tensor, encoding, context, message);
  for (const std::string& text : tensor.strings()) message->add_string_data(text);
}

void FillSparseTensor(const SparseTensor& tensor, Encodings* encodings, WriteContext* context,
                      onnx_pb::SparseTensorProto* message) {
  FillTensor(tensor.values, encodings->Next(), context, message->mutable_values());
  FillTensor(tensor.indices, encodings->Next(), context, message->mutable_indices());
  for (const std::int64_t size : tensor.sizes) message->add_dims(size);
}

}  // namespace dragoman::onnx_writer

// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/take_tensor.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/support/count_elements.h"
#include "core/support/text.h"
#include "core/support/truth_bytes.h"
#include "proto/onnx/extra.h"

namespace dragoman::onnx_reader {
namespace {

using onnx_pb::SparseTensorProto;
using onnx_pb::TensorProto;

// The field that holds elements of `dtype` where raw_data does not.
int TypedField(DType dtype) {
  switch (dtype) {
    case DType::kF32:
    case DType::kC64:
      return TensorProto::kFloatDataFieldNumber;
    case DType::kF64:
    case DType::kC128:
      return TensorProto::kDoubleDataFieldNumber;
    case DType::kI64:
      return TensorProto::kInt64DataFieldNumber;
    case DType::kU32:
    case DType::kU64:
      return TensorProto::kUint64DataFieldNumber;
    case DType::kString:
      return TensorProto::kStringDataFieldNumber;
    default:
      return TensorProto::kInt32DataFieldNumber;
  }
}

// The fields among raw_data, the typed ones and external_data that hold something.
std::vector<int> DataFields(const TensorProto& message, const ReadContext& context) {
  std::vector<int> fields;
  const bool external = message.data_location() == TensorProto::EXTERNAL;
  if (external) fields.push_back(TensorProto::kExternalDataFieldNumber);
  if (message.has_raw_data() && !(external && context.RawData(message.raw_data()).size() == 0)) {
    fields.push_back(TensorProto::kRawDataFieldNumber);
  }
  if (message.float_data_size() > 0) fields.push_back(TensorProto::kFloatDataFieldNumber);
  if (message.int32_data_size() > 0) fields.push_back(TensorProto::kInt32DataFieldNumber);
  if (message.string_data_size() > 0) fields.push_back(TensorProto::kStringDataFieldNumber);
  if (message.int64_data_size() > 0) fields.push_back(TensorProto::kInt64DataFieldNumber);
  if (message.double_data_size() > 0) fields.push_back(TensorProto::kDoubleDataFieldNumber);
  if (message.uint64_data_size() > 0) fields.push_back(TensorProto::kUint64DataFieldNumber);
  return fields;
}

template <class T>
void Append(T value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The numbers in their own representation.
template <class T>
std::string BytesOf(const google::protobuf::RepeatedField<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          sizeof(T) * static_cast<std::size_t>(numbers.size())};
}

// The numbers as elements of type T; nullopt if one does not fit.
template <class T, class Wide>
std::optional<std::string> Narrow(const google::protobuf::RepeatedField<Wide>& numbers, Wide max) {
  std::string bytes;
  bytes.reserve(sizeof(T) * static_cast<std::size_t>(numbers.size()));
  for (const Wide number : numbers) {
    if (number < static_cast<Wide>(std::numeric_limits<T>::min()) || number > max)
      return std::nullopt;
    Append(static_cast<T>(number), &bytes);
  }
  return bytes;
}

template <class T, class Wide>
std::optional<std::string> Narrow(const google::protobuf::RepeatedField<Wide>& numbers) {
  return Narrow<T>(numbers, static_cast<Wide>(std::numeric_limits<T>::max()));
}

// int32_data holds 16-bit floats and everything of 8 bits and less by its bits.
std::optional<std::string> DecodeInt32Data(const TensorProto& message, DType dtype) {
  const auto& numbers = message.int32_data();
  switch (dtype) {
    case DType::kI32:
      return BytesOf(numbers);
    case DType::kI16:
      return Narrow<std::int16_t>(numbers);
    case DType::kI8:
      return Narrow<std::int8_t>(numbers);
    case DType::kBool:
      return Narrow<std::uint8_t>(numbers, 1);
    case DType::kU16:
    case DType::kF16:
    case DType::kBF16:
      return Narrow<std::uint16_t>(numbers);
    default:
      return Narrow<std::uint8_t>(numbers);
  }
}

std::optional<std::string> DecodeTyped(const TensorProto& message, DType dtype) {
  switch (TypedField(dtype)) {
    case TensorProto::kFloatDataFieldNumber:
      return BytesOf(message.float_data());
    case TensorProto::kDoubleDataFieldNumber:
      return BytesOf(message.double_data());
    case TensorProto::kInt64DataFieldNumber:
      return BytesOf(message.int64_data());
    case TensorProto::kUint64DataFieldNumber:
      if (dtype == DType::kU64) return BytesOf(message.uint64_data());
      return Narrow<std::uint32_t>(message.uint64_data());
    default:
      return DecodeInt32Data(message, dtype);
  }
}

Error InTensor(const TensorProto& message, const Place& place, const ReadContext& context,
               const Error& error) {
  return context.Fail(place,
                      "tensor " + Quote(message.name()) + ": " + error.findings()[0].message);
}

// A Tensor of `elements`, which are bytes or strings; nullopt: one is not of the type.
template <class Elements>
Result<std::optional<Tensor>> MakeTensor(const TensorProto& message, const Place& place,
                                         const ReadContext& context, Elements elements) {
  std::vector<std::int64_t> sizes(message.dims().begin(), message.dims().end());
  if constexpr (std::is_same_v<Elements, Buffer>) {
    const bool is_bool = message.data_type() == static_cast<int>(DType::kBool);
    if (is_bool && !AreTruths(elements.bytes())) return std::optional<Tensor>();
  }
  Result<Tensor> tensor = [&] {
    if constexpr (std::is_same_v<Elements, Buffer>) {
      return Tensor::Make(static_cast<DType>(message.data_type()), std::move(sizes),
                          std::move(elements));
    } else {
      return Tensor::MakeStrings(std::move(sizes), std::move(elements));
    }
  }();
  if (!tensor.ok()) return InTensor(message, place, context, tensor.error());
  return std::optional(*std::move(tensor));
}

// The length that the sizes give; nullopt: they are at fault, or the elements are strings.
std::optional<std::size_t> ExpectedBytes(const TensorProto& message) {
  const std::vector<std::int64_t> sizes(message.dims().begin(), message.dims().end());
  const std::optional<std::int64_t> count = CountElements(sizes);
  if (!count) return std::nullopt;
  return PackedBytes(static_cast<DType>(message.data_type()), *count);
}

Result<std::optional<Tensor>> MakeExternal(const TensorProto& message, const Place& place,
                                           ReadContext& context) {
  const std::optional<std::size_t> size = ExpectedBytes(message);
  if (!size) return MakeTensor(message, place, context, Buffer());  // refuses the sizes
  DRAGOMAN_ASSIGN(std::optional<Buffer> buffer, context.ExternalData(message, *size, place));
  if (!buffer) return std::optional<Tensor>();
  return MakeTensor(message, place, context, *std::move(buffer));
}

// Whether elements are expected and none is there, as in files without weights.
bool LacksElements(const TensorProto& message, int field, const ReadContext& context) {
  const bool is_empty = field == 0 || (field == TensorProto::kRawDataFieldNumber &&
                                       context.RawData(message.raw_data()).size() == 0);
  return is_empty && ExpectedBytes(message).value_or(0) > 0;
}

// `field` holds the elements; 0 if no field does.
Result<std::optional<Tensor>> Decode(const TensorProto& message, int field, const Place& place,
                                     ReadContext& context) {
  const auto dtype = static_cast<DType>(message.data_type());
  const bool is_string = dtype == DType::kString;
  if (field == TensorProto::kExternalDataFieldNumber && !is_string) {
    return MakeExternal(message, place, context);
  }
  if (field == TensorProto::kRawDataFieldNumber && !is_string) {
    return MakeTensor(message, place, context, context.RawData(message.raw_data()));
  }
  if (field != 0 && field != TypedField(dtype)) return std::optional<Tensor>();
  if (is_string) {
    const auto& strings = message.string_data();
    return MakeTensor(message, place, context,
                      std::vector<std::string>(strings.begin(), strings.end()));
  }
  std::optional<std::string> bytes = DecodeTyped(message, dtype);
  if (!bytes) return std::optional<Tensor>();
  return MakeTensor(message, place, context, Buffer::Own(*std::move(bytes)));
}

std::string EncodingOf(int field, DType dtype) {
  if (dtype == DType::kString || dtype == DType::kUnknown) return "";
  if (field == 0) return std::string(onnx_extra::kNoEncoding);
  if (field == TensorProto::kRawDataFieldNumber || field == TensorProto::kExternalDataFieldNumber)
    return "";
  return TensorProto::descriptor()->FindFieldByNumber(field)->name();
}

void ClearTaken(TensorProto* message, int field) {
  message->clear_dims();
  message->clear_data_type();
  if (field == 0 || field == TensorProto::kExternalDataFieldNumber) return;
  message->GetReflection()->ClearField(message,
                                       TensorProto::descriptor()->FindFieldByNumber(field));
}

}  // namespace

Result<std::optional<Tensor>> TakeTensor(TensorProto* message, const Place& place,
                                         ReadContext& context,
                                         std::vector<std::string>* encodings) {
  const std::vector<int> fields = DataFields(*message, context);
  if (message->data_type() == 0 && message->dims().empty() && fields.empty()) {
    encodings->emplace_back();
    return std::optional(Tensor());
  }
  if (!IsDTypeNumber(message->data_type()) || message->has_segment() || fields.size() > 1) {
    return std::optional<Tensor>();
  }
  const int field = fields.empty() ? 0 : fields[0];
  if (LacksElements(*message, field, context)) return std::optional<Tensor>();
  DRAGOMAN_ASSIGN(std::optional<Tensor> tensor, Decode(*message, field, place, context));
  if (!tensor) return tensor;
  encodings->push_back(EncodingOf(field, tensor->dtype()));
  ClearTaken(message, field);
  return tensor;
}

Result<std::optional<SparseTensor>> TakeSparseTensor(SparseTensorProto* message, const Place& place,
                                                     ReadContext& context,
                                                     std::vector<std::string>* encodings) {
  const auto& sizes = message->dims();
  const bool negative =
      std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 0; });
  if (!message->has_values() || !message->has_indices() || negative)
    return std::optional<SparseTensor>();
  SparseTensorProto rest = *message;
  std::vector<std::string> taken;
  const Place values_place{&place, SparseTensorProto::kValuesFieldNumber, 0};
  const Place indices_place{&place, SparseTensorProto::kIndicesFieldNumber, 0};
  DRAGOMAN_ASSIGN(std::optional<Tensor> values,
                  TakeTensor(rest.mutable_values(), values_place, context, &taken));
  if (!values) return std::optional<SparseTensor>();
  DRAGOMAN_ASSIGN(std::optional<Tensor> indices,
                  TakeTensor(rest.mutable_indices(), indices_place, context, &taken));
  if (!indices) return std::optional<SparseTensor>();
  if (IsEmpty(rest.values())) rest.clear_values();
  if (IsEmpty(rest.indices())) rest.clear_indices();
  SparseTensor tensor{*std::move(values), *std::move(indices),
                      std::vector<std::int64_t>(rest.dims().begin(), rest.dims().end())};
  rest.clear_dims();
  *message = std::move(rest);
  encodings->insert(encodings->end(), taken.begin(), taken.end());
  return std::optional(std::move(tensor));
}

void AppendEncodings(const std::vector<std::string>& encodings, Extra* extra) {
  const bool usual = std::all_of(encodings.begin(), encodings.end(),
                                 [](const std::string& e) { return e.empty(); });
  if (!usual)
    extra->emplace_back(std::string(onnx_extra::kTensorEncoding), Attribute::Strings(encodings));
}

}  // namespace dragoman::onnx_reader

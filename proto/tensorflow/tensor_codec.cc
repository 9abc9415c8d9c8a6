// SPDX-License-Identifier: Apache-2.0
#include "proto/tensorflow/tensor_codec.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/ir/find_as.h"
#include "core/support/bytes.h"
#include "core/support/count_elements.h"
#include "core/support/size_budget.h"
#include "proto/message_dict.h"
#include "proto/tensorflow/data_type.h"

namespace dragoman::tf_codec {
namespace {

using google::protobuf::RepeatedField;
using tf_pb::TensorProto;

// The bits of the values that the field of element type `dtype` has; nullopt if one does not fit,
// or the field has no whole number of elements.
template <class T, class Field>
std::optional<std::string> Pack(const RepeatedField<Field>& values) {
  std::string bytes(static_cast<std::size_t>(values.size()) * sizeof(T), '\0');
  char* to = bytes.data();
  for (const Field value : values) {
    const T narrow = static_cast<T>(value);
    if constexpr (std::is_integral_v<T>) {
      if (static_cast<Field>(narrow) != value) return std::nullopt;
    }
    std::memcpy(to, &narrow, sizeof narrow);
    to += sizeof narrow;
  }
  return bytes;
}

template <class T>
void Unpack(std::string_view bytes, RepeatedField<T>* values) {
  values->Resize(static_cast<int>(bytes.size() / sizeof(T)), T{});
  if (!bytes.empty()) std::memcpy(values->mutable_data(), bytes.data(), bytes.size());
}

template <class T, class Field>
void UnpackAs(std::string_view bytes, RepeatedField<Field>* values) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + i, sizeof value);
    values->Add(static_cast<Field>(value));
  }
}

// Takes the values of the field for elements of `dtype`.
std::optional<std::string> TakeValues(DType dtype, TensorProto* message) {
  std::optional<std::string> bytes;
  switch (dtype) {
    case DType::kF32:
      bytes = Pack<float>(message->float_val());
      break;
    case DType::kF64:
      bytes = Pack<double>(message->double_val());
      break;
    case DType::kI32:
      bytes = Pack<std::int32_t>(message->int_val());
      break;
    case DType::kI16:
      bytes = Pack<std::int16_t>(message->int_val());
      break;
    case DType::kI8:
      bytes = Pack<std::int8_t>(message->int_val());
      break;
    case DType::kU16:
      bytes = Pack<std::uint16_t>(message->int_val());
      break;
    case DType::kU8:
      bytes = Pack<std::uint8_t>(message->int_val());
      break;
    case DType::kF16:
    case DType::kBF16:
      bytes = Pack<std::uint16_t>(message->half_val());
      break;
    case DType::kI64:
      bytes = Pack<std::int64_t>(message->int64_val());
      break;
    case DType::kBool:
      bytes = Pack<bool>(message->bool_val());
      break;
    case DType::kC64:
      bytes = Pack<float>(message->scomplex_val());
      break;
    case DType::kC128:
      bytes = Pack<double>(message->dcomplex_val());
      break;
    case DType::kU32:
      bytes = Pack<std::uint32_t>(message->uint32_val());
      break;
    case DType::kU64:
      bytes = Pack<std::uint64_t>(message->uint64_val());
      break;
    case DType::kF8E5M2:
    case DType::kF8E4M3FN:
      bytes = message->float8_val();
      break;
    default:
      return std::nullopt;
  }
  return bytes;
}

void ClearValues(DType dtype, TensorProto* message) {
  switch (dtype) {
    case DType::kF32:
      return message->clear_float_val();
    case DType::kF64:
      return message->clear_double_val();
    case DType::kI32:
    case DType::kI16:
    case DType::kI8:
    case DType::kU16:
    case DType::kU8:
      return message->clear_int_val();
    case DType::kF16:
    case DType::kBF16:
      return message->clear_half_val();
    case DType::kI64:
      return message->clear_int64_val();
    case DType::kBool:
      return message->clear_bool_val();
    case DType::kC64:
      return message->clear_scomplex_val();
    case DType::kC128:
      return message->clear_dcomplex_val();
    case DType::kU32:
      return message->clear_uint32_val();
    case DType::kU64:
      return message->clear_uint64_val();
    case DType::kF8E5M2:
    case DType::kF8E4M3FN:
      return message->clear_float8_val();
    default:
      return;
  }
}

void FillValues(DType dtype, std::string_view bytes, TensorProto* message) {
  switch (dtype) {
    case DType::kF32:
      return Unpack(bytes, message->mutable_float_val());
    case DType::kF64:
      return Unpack(bytes, message->mutable_double_val());
    case DType::kI32:
      return UnpackAs<std::int32_t>(bytes, message->mutable_int_val());
    case DType::kI16:
      return UnpackAs<std::int16_t>(bytes, message->mutable_int_val());
    case DType::kI8:
      return UnpackAs<std::int8_t>(bytes, message->mutable_int_val());
    case DType::kU16:
      return UnpackAs<std::uint16_t>(bytes, message->mutable_int_val());
    case DType::kU8:
      return UnpackAs<std::uint8_t>(bytes, message->mutable_int_val());
    case DType::kF16:
    case DType::kBF16:
      return UnpackAs<std::uint16_t>(bytes, message->mutable_half_val());
    case DType::kI64:
      return UnpackAs<std::int64_t>(bytes, message->mutable_int64_val());
    case DType::kBool:
      return UnpackAs<std::uint8_t>(bytes, message->mutable_bool_val());
    case DType::kC64:
      return Unpack(bytes, message->mutable_scomplex_val());
    case DType::kC128:
      return Unpack(bytes, message->mutable_dcomplex_val());
    case DType::kU32:
      return UnpackAs<std::uint32_t>(bytes, message->mutable_uint32_val());
    case DType::kU64:
      return UnpackAs<std::uint64_t>(bytes, message->mutable_uint64_val());
    case DType::kF8E5M2:
    case DType::kF8E4M3FN:
      return message->set_float8_val(std::string(bytes));
    default:
      return;
  }
}

std::size_t ItemSize(DType dtype) { return static_cast<std::size_t>(Info(dtype).bits) / 8; }

// Where the elements of a tensor of `count` elements lie unless kValues says otherwise.
std::int64_t DefaultValues(DType dtype, std::int64_t count) {
  return dtype == DType::kString || count <= 1 ? count : kInContent;
}

// `values` whole elements at the front of `bytes` repeated to fill `size` bytes.
void Repeat(std::size_t size, std::size_t item, std::string* bytes) {
  std::size_t filled = bytes->size();
  bytes->resize(size, '\0');
  if (filled == 0) return;
  for (char* last = bytes->data() + filled - item; filled < size; filled += item) {
    std::memcpy(bytes->data() + filled, last, item);
  }
}

struct Decoded {
  Tensor tensor;
  std::int64_t values = 0;  // as kValues
};

bool AreBits(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0 || c == 1; });
}

// nullopt: not well formed.
Result<std::optional<Decoded>> DecodeNumbers(DType dtype, std::vector<std::int64_t> sizes,
                                             std::int64_t count, TensorProto* message) {
  const std::size_t item = ItemSize(dtype);
  const std::optional<std::size_t> size = PackedBytes(dtype, count);
  if (!size) return std::optional<Decoded>();
  if (!message->tensor_content().empty()) {
    const std::string& content = message->tensor_content();
    if (content.size() != *size || (dtype == DType::kBool && !AreBits(content)))
      return std::optional<Decoded>();
    Buffer buffer = Buffer::Own(std::move(*message->mutable_tensor_content()));
    message->clear_tensor_content();
    DRAGOMAN_ASSIGN(Tensor tensor, Tensor::Make(dtype, std::move(sizes), std::move(buffer)));
    return std::optional(Decoded{std::move(tensor), kInContent});
  }
  std::optional<std::string> bytes = TakeValues(dtype, message);
  if (!bytes || bytes->size() % item != 0 || bytes->size() > *size) return std::optional<Decoded>();
  const std::size_t values = bytes->size() / item;
  DRAGOMAN_TRY(TakeExpanded(bytes->size(), *size));
  Repeat(*size, item, &*bytes);
  ClearValues(dtype, message);
  DRAGOMAN_ASSIGN(Tensor tensor,
                  Tensor::Make(dtype, std::move(sizes), Buffer::Own(std::move(*bytes))));
  return std::optional(Decoded{std::move(tensor), static_cast<std::int64_t>(values)});
}

Result<std::optional<Decoded>> DecodeStrings(std::vector<std::int64_t> sizes, std::int64_t count,
                                             TensorProto* message) {
  const std::int64_t values = message->string_val_size();
  if (values > count) return std::optional<Decoded>();
  std::vector<std::string> strings(std::make_move_iterator(message->mutable_string_val()->begin()),
                                   std::make_move_iterator(message->mutable_string_val()->end()));
  const std::string last = strings.empty() ? std::string() : strings.back();
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count - values, sizeof(std::string) + last.size(), &bytes))
    bytes = UINT64_MAX;
  DRAGOMAN_TRY(TakeExpanded(0, bytes));
  strings.resize(static_cast<std::size_t>(count), last);
  message->clear_string_val();
  DRAGOMAN_ASSIGN(Tensor tensor, Tensor::MakeStrings(std::move(sizes), std::move(strings)));
  return std::optional(Decoded{std::move(tensor), values});
}

std::optional<std::vector<std::int64_t>> SizesOf(const tf_pb::TensorShapeProto& shape) {
  const std::optional<Type> type = TypeOfShape(shape);
  return type && type->shape() != nullptr ? KnownShape(*type->shape()) : std::nullopt;
}

// Whether the first `values` elements, the last of them repeated, are all elements of `tensor`.
bool IsRepeated(const Tensor& tensor, std::int64_t values) {
  const std::int64_t count = tensor.size();
  if (values < 0 || values > count) return false;
  if (tensor.dtype() == DType::kString) {
    const std::string last =
        values == 0 ? std::string() : tensor.strings()[static_cast<std::size_t>(values - 1)];
    const auto rest = tensor.strings().subspan(static_cast<std::size_t>(values));
    return std::all_of(rest.begin(), rest.end(),
                       [&](const std::string& text) { return text == last; });
  }
  const std::size_t item = ItemSize(tensor.dtype());
  const std::string_view bytes = AsText(tensor.bytes());
  const std::size_t begin = static_cast<std::size_t>(values) * item;
  const std::string last =
      values == 0 ? std::string(item, '\0') : std::string(bytes.substr(begin - item, item));
  for (std::size_t i = begin; i < bytes.size(); i += item) {
    if (bytes.compare(i, item, last) != 0) return false;
  }
  return true;
}

std::optional<int> DataTypeOf(const Tensor& tensor, const Extra* extra) {
  const auto* number = FindAs<std::int64_t>(extra, kDataType);
  if (number != nullptr && *number > 0 && *number < 100 &&
      StorageOf(static_cast<int>(*number)) == tensor.dtype()) {
    return static_cast<int>(*number);
  }
  return tf_codec::DataTypeOf(Type::Tensor(tensor.dtype()));
}

void FillElements(const Tensor& tensor, const Extra* extra, TensorProto* message) {
  std::int64_t values = DefaultValues(tensor.dtype(), tensor.size());
  if (const Attribute* stated = FindIn(extra, kValues)) {
    const auto* number = stated->As<std::int64_t>();
    const bool is_text = tensor.dtype() == DType::kString;
    if (number != nullptr && ((*number == kInContent && !is_text) || IsRepeated(tensor, *number))) {
      values = *number;
    }
  }
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.strings().first(static_cast<std::size_t>(values)))
      message->add_string_val(text);
  } else if (values == kInContent) {
    message->set_tensor_content(std::string(AsText(tensor.bytes())));
  } else {
    const std::size_t size = static_cast<std::size_t>(values) * ItemSize(tensor.dtype());
    FillValues(tensor.dtype(), AsText(tensor.bytes()).substr(0, size), message);
  }
}

}  // namespace

Result<Attribute> DecodeTensor(TensorProto* message, Extra* extra) {
  const int data_type = message->dtype();
  const DType dtype = StorageOf(data_type);
  const auto sizes = SizesOf(message->tensor_shape());
  const std::optional<std::int64_t> count = sizes ? CountElements(*sizes) : std::nullopt;
  if (dtype == DType::kUnknown || !count) return Attribute(MessageToDict(*message));
  std::optional<Decoded> decoded;
  if (dtype == DType::kString) {
    DRAGOMAN_ASSIGN(decoded, DecodeStrings(*sizes, *count, message));
  } else {
    DRAGOMAN_ASSIGN(decoded, DecodeNumbers(dtype, *sizes, *count, message));
  }
  if (!decoded) return Attribute(MessageToDict(*message));
  if (decoded->values != DefaultValues(dtype, *count)) {
    extra->emplace_back(std::string(kValues), decoded->values);
  }
  if (tf_codec::DataTypeOf(Type::Tensor(dtype)) != data_type) {
    extra->emplace_back(std::string(kDataType), std::int64_t{data_type});
  }
  if (!message->has_tensor_shape()) extra->emplace_back(std::string(kNoShape), true);
  message->clear_dtype();
  message->mutable_tensor_shape()->clear_dim();
  if (message->tensor_shape().ByteSizeLong() == 0) message->clear_tensor_shape();
  if (message->ByteSizeLong() > 0) {
    extra->emplace_back(std::string(kTensor), MessageToDict(*message));
  }
  return Attribute(std::move(decoded->tensor));
}

Status EncodeTensor(const Attribute& value, const Extra* extra, TensorProto* message) {
  if (const auto* dict = value.As<Attribute::Dict>()) return DictToMessage(*dict, message);
  const Tensor* tensor = value.tensor();
  if (tensor == nullptr) {
    return InvalidInput("a tensor of TensorFlow is to be made from a " +
                        std::string(Name(value.kind())));
  }
  const std::optional<int> data_type = DataTypeOf(*tensor, extra);
  if (!data_type) {
    return Unsupported("TensorFlow has no element type " + std::string(Name(tensor->dtype())));
  }
  if (const Attribute* rest = FindIn(extra, kTensor)) {
    const auto* dict = rest->As<Attribute::Dict>();
    if (dict == nullptr) return InvalidInput("extra tf.tensor is not a dictionary");
    DRAGOMAN_TRY(DictToMessage(*dict, message));
  }
  message->set_dtype(static_cast<tf_pb::DataType>(*data_type));
  if (tensor->rank() > 0 || FindIn(extra, kNoShape) == nullptr) message->mutable_tensor_shape();
  for (const std::int64_t size : tensor->sizes())
    message->mutable_tensor_shape()->add_dim()->set_size(size);
  FillElements(*tensor, extra, message);
  return {};
}

}  // namespace dragoman::tf_codec

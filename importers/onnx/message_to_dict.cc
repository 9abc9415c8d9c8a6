#include "importers/onnx/message_to_dict.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "proto/onnx/extra.h"

namespace dragoman::onnx_reader {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

Attribute RawData(const std::string& token, const ResolveToken& resolve) {
  Buffer buffer = resolve(token);
  const auto size = static_cast<std::int64_t>(buffer.size());
  return *Tensor::Make(DType::kU8, {size}, std::move(buffer));
}

Attribute Single(const Message& message, const FieldDescriptor& field,
                 const ResolveToken& resolve) {
  const Reflection& get = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return std::int64_t{get.GetInt32(message, &field)};
    case FieldDescriptor::CPPTYPE_INT64:
      return get.GetInt64(message, &field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return std::int64_t{get.GetUInt32(message, &field)};
    case FieldDescriptor::CPPTYPE_UINT64:
      return static_cast<std::int64_t>(get.GetUInt64(message, &field));
    case FieldDescriptor::CPPTYPE_ENUM:
      return std::int64_t{get.GetEnumValue(message, &field)};
    case FieldDescriptor::CPPTYPE_BOOL:
      return get.GetBool(message, &field);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return get.GetFloat(message, &field);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return get.GetDouble(message, &field);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return ToDict(get.GetMessage(message, &field), resolve);
    case FieldDescriptor::CPPTYPE_STRING:
      break;
  }
  std::string text = get.GetString(message, &field);
  const bool is_token = field.containing_type() == onnx_pb::TensorProto::descriptor() &&
                        field.number() == onnx_pb::TensorProto::kRawDataFieldNumber;
  return is_token ? RawData(text, resolve) : Attribute(std::move(text));
}

template <class List, class Get>
Attribute Collect(int size, Get get) {
  List list;
  list.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) list.push_back(static_cast<typename List::value_type>(get(i)));
  return list;
}

Attribute Repeated(const Message& message, const FieldDescriptor& field,
                   const ResolveToken& resolve) {
  const Reflection& get = *message.GetReflection();
  const int size = get.FieldSize(message, &field);
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return Collect<Attribute::Ints>(
          size, [&](int i) { return get.GetRepeatedInt32(message, &field, i); });
    case FieldDescriptor::CPPTYPE_INT64:
      return Collect<Attribute::Ints>(
          size, [&](int i) { return get.GetRepeatedInt64(message, &field, i); });
    case FieldDescriptor::CPPTYPE_UINT32:
      return Collect<Attribute::Ints>(
          size, [&](int i) { return get.GetRepeatedUInt32(message, &field, i); });
    case FieldDescriptor::CPPTYPE_UINT64:
      return Collect<Attribute::Ints>(
          size, [&](int i) { return get.GetRepeatedUInt64(message, &field, i); });
    case FieldDescriptor::CPPTYPE_ENUM:
      return Collect<Attribute::Ints>(
          size, [&](int i) { return get.GetRepeatedEnumValue(message, &field, i); });
    case FieldDescriptor::CPPTYPE_BOOL:
      return Collect<Attribute::Ints>(
          size, [&](int i) { return get.GetRepeatedBool(message, &field, i); });
    case FieldDescriptor::CPPTYPE_FLOAT:
      return Collect<Attribute::Floats>(
          size, [&](int i) { return get.GetRepeatedFloat(message, &field, i); });
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Collect<Attribute::Doubles>(
          size, [&](int i) { return get.GetRepeatedDouble(message, &field, i); });
    case FieldDescriptor::CPPTYPE_STRING:
      return Collect<Attribute::Strings>(
          size, [&](int i) { return get.GetRepeatedString(message, &field, i); });
    case FieldDescriptor::CPPTYPE_MESSAGE:
      break;
  }
  Attribute::List list;
  for (int i = 0; i < size; ++i)
    list.emplace_back(ToDict(get.GetRepeatedMessage(message, &field, i), resolve));
  return list;
}

std::vector<NamedAttribute> Collect(const Message& message, const ResolveToken& resolve,
                                    std::string_view prefix) {
  std::vector<NamedAttribute> entries;
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    entries.emplace_back(std::string(prefix) + field->name(),
                         field->is_repeated() ? Repeated(message, *field, resolve)
                                              : Single(message, *field, resolve));
  }
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  if (!unknown.empty()) {
    std::string bytes;
    unknown.SerializeToString(&bytes);
    entries.emplace_back(std::string(prefix).append(onnx_extra::kUnknownFields), std::move(bytes));
  }
  return entries;
}

}  // namespace

Attribute::Dict ToDict(const Message& message, const ResolveToken& resolve) {
  return Collect(message, resolve, "");
}

Extra ToExtra(const Message& message, const ResolveToken& resolve) {
  return Collect(message, resolve, onnx_extra::kPrefix);
}

}  // namespace dragoman::onnx_reader

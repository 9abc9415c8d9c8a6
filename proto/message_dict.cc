// SPDX-License-Identifier: Apache-2.0
#include "proto/message_dict.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/support/text.h"

namespace dragoman {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

Attribute Single(const Message& message, const FieldDescriptor& field, const StringToForm& form) {
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
      return MessageToDict(get.GetMessage(message, &field), form);
    case FieldDescriptor::CPPTYPE_STRING:
      break;
  }
  std::string text = get.GetString(message, &field);
  std::optional<Attribute> other = form ? form(field, text) : std::nullopt;
  return other ? std::move(*other) : Attribute(std::move(text));
}

template <class List, class Get>
Attribute Collect(int size, Get get) {
  List list;
  list.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) list.push_back(static_cast<typename List::value_type>(get(i)));
  return list;
}

// Entries of a map have no order of their own.
void SortByKey(const FieldDescriptor& key, std::vector<const Message*>* entries) {
  const auto text = [&](const Message* entry) {
    return entry->GetReflection()->GetString(*entry, &key);
  };
  const auto number = [&](const Message* entry) {
    return *Single(*entry, key, nullptr).As<std::int64_t>();
  };
  const bool is_text = key.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  std::sort(entries->begin(), entries->end(), [&](const Message* a, const Message* b) {
    return is_text ? text(a) < text(b) : number(a) < number(b);
  });
}

Attribute Repeated(const Message& message, const FieldDescriptor& field, const StringToForm& form) {
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
  std::vector<const Message*> entries;
  for (int i = 0; i < size; ++i) entries.push_back(&get.GetRepeatedMessage(message, &field, i));
  if (field.is_map()) SortByKey(*field.message_type()->map_key(), &entries);
  Attribute::List list;
  for (const Message* entry : entries) list.emplace_back(MessageToDict(*entry, form));
  return list;
}

}  // namespace

Attribute::Dict MessageToDict(const Message& message, const StringToForm& form) {
  Attribute::Dict entries;
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    entries.emplace_back(field->name(), field->is_repeated() ? Repeated(message, *field, form)
                                                             : Single(message, *field, form));
  }
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  if (!unknown.empty()) {
    std::string bytes;
    unknown.SerializeToString(&bytes);
    entries.emplace_back(std::string(kUnknownFields), std::move(bytes));
  }
  return entries;
}

namespace {

bool FitsInt32(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

bool FitsUint32(std::int64_t value) {
  return value >= 0 && value <= std::numeric_limits<std::uint32_t>::max();
}

bool IsBit(std::int64_t value) { return value == 0 || value == 1; }

// One field of one message. Each Set function returns false where the attribute is of another kind.
class FieldSetter {
 public:
  FieldSetter(const FormToString& text, Message* message, const FieldDescriptor& field)
      : text_(text), message_(message), field_(field), set_(*message->GetReflection()) {}

  Result<bool> Set(const Attribute& value) {
    if (field_.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) return SetMessages(value);
    return field_.is_repeated() ? SetNumbers(value) : SetNumber(value);
  }

 private:
  Result<bool> SetMessages(const Attribute& value) {
    if (const auto* dict = value.As<Attribute::Dict>(); dict != nullptr && !field_.is_repeated()) {
      DRAGOMAN_TRY(DictToMessage(*dict, set_.MutableMessage(message_, &field_), text_));
      return true;
    }
    const auto* list = value.As<Attribute::List>();
    if (list == nullptr || !field_.is_repeated()) return false;
    for (const Attribute& element : *list) {
      const auto* dict = element.As<Attribute::Dict>();
      if (dict == nullptr) return false;
      DRAGOMAN_TRY(DictToMessage(*dict, set_.AddMessage(message_, &field_), text_));
    }
    return true;
  }

  bool SetNumber(const Attribute& value) {
    const FieldDescriptor::CppType type = field_.cpp_type();
    if (type == FieldDescriptor::CPPTYPE_STRING) return SetString(value);
    if (const auto* number = value.As<std::int64_t>()) return SetInt(*number);
    if (const auto* number = value.As<float>(); number && type == FieldDescriptor::CPPTYPE_FLOAT) {
      set_.SetFloat(message_, &field_, *number);
    } else if (const auto* wide = value.As<double>();
               wide && type == FieldDescriptor::CPPTYPE_DOUBLE) {
      set_.SetDouble(message_, &field_, *wide);
    } else if (const auto* flag = value.As<bool>(); flag && type == FieldDescriptor::CPPTYPE_BOOL) {
      set_.SetBool(message_, &field_, *flag);
    } else {
      return false;
    }
    return true;
  }

  bool SetInt(std::int64_t number) {
    switch (field_.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT64:
        set_.SetInt64(message_, &field_, number);
        return true;
      case FieldDescriptor::CPPTYPE_UINT64:
        set_.SetUInt64(message_, &field_, static_cast<std::uint64_t>(number));
        return true;
      case FieldDescriptor::CPPTYPE_INT32:
        if (FitsInt32(number)) set_.SetInt32(message_, &field_, static_cast<std::int32_t>(number));
        return FitsInt32(number);
      case FieldDescriptor::CPPTYPE_ENUM:
        if (FitsInt32(number)) set_.SetEnumValue(message_, &field_, static_cast<int>(number));
        return FitsInt32(number);
      case FieldDescriptor::CPPTYPE_UINT32:
        if (FitsUint32(number))
          set_.SetUInt32(message_, &field_, static_cast<std::uint32_t>(number));
        return FitsUint32(number);
      default:
        return false;
    }
  }

  bool SetString(const Attribute& value) {
    std::optional<std::string> text;
    if (text_) {
      text = text_(field_, value);
    } else if (const auto* plain = value.As<std::string>()) {
      text = *plain;
    }
    if (text) set_.SetString(message_, &field_, std::move(*text));
    return text.has_value();
  }

  bool SetNumbers(const Attribute& value) {
    if (const auto* numbers = value.As<Attribute::Ints>()) {
      return std::all_of(numbers->begin(), numbers->end(),
                         [this](std::int64_t n) { return AddInt(n); });
    }
    const auto* floats = value.As<Attribute::Floats>();
    if (floats != nullptr && field_.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT) {
      for (const float number : *floats) set_.AddFloat(message_, &field_, number);
      return true;
    }
    const auto* doubles = value.As<Attribute::Doubles>();
    if (doubles != nullptr && field_.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
      for (const double number : *doubles) set_.AddDouble(message_, &field_, number);
      return true;
    }
    const auto* texts = value.As<Attribute::Strings>();
    if (texts == nullptr || field_.cpp_type() != FieldDescriptor::CPPTYPE_STRING) return false;
    for (const std::string& text : *texts) set_.AddString(message_, &field_, text);
    return true;
  }

  bool AddInt(std::int64_t number) {
    switch (field_.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT64:
        set_.AddInt64(message_, &field_, number);
        return true;
      case FieldDescriptor::CPPTYPE_UINT64:
        set_.AddUInt64(message_, &field_, static_cast<std::uint64_t>(number));
        return true;
      case FieldDescriptor::CPPTYPE_INT32:
        if (FitsInt32(number)) set_.AddInt32(message_, &field_, static_cast<std::int32_t>(number));
        return FitsInt32(number);
      case FieldDescriptor::CPPTYPE_ENUM:
        if (FitsInt32(number)) set_.AddEnumValue(message_, &field_, static_cast<int>(number));
        return FitsInt32(number);
      case FieldDescriptor::CPPTYPE_UINT32:
        if (FitsUint32(number))
          set_.AddUInt32(message_, &field_, static_cast<std::uint32_t>(number));
        return FitsUint32(number);
      case FieldDescriptor::CPPTYPE_BOOL:
        if (IsBit(number)) set_.AddBool(message_, &field_, number != 0);
        return IsBit(number);
      default:
        return false;
    }
  }

  const FormToString& text_;
  Message* message_;
  const FieldDescriptor& field_;
  const google::protobuf::Reflection& set_;
};

bool SetUnknownFields(const Attribute& value, Message* message) {
  const auto* bytes = value.As<std::string>();
  return bytes != nullptr &&
         message->GetReflection()->MutableUnknownFields(message)->ParseFromString(*bytes);
}

}  // namespace

Status DictToMessage(const Attribute::Dict& entries, Message* message, const FormToString& text) {
  for (const NamedAttribute& entry : entries) {
    DRAGOMAN_TRY(SetField(entry.name, entry.value, message, text));
  }
  return {};
}

Status SetField(std::string_view name, const Attribute& value, Message* message,
                const FormToString& text) {
  bool is_set = false;
  if (name == kUnknownFields) {
    is_set = SetUnknownFields(value, message);
  } else if (const auto* field = message->GetDescriptor()->FindFieldByName(std::string(name))) {
    DRAGOMAN_ASSIGN(is_set, FieldSetter(text, message, *field).Set(value));
  }
  if (is_set) return {};
  return InvalidInput("extra " + Quote(name) + " of kind " + std::string(Name(value.kind())) +
                      " is not a field of " + message->GetDescriptor()->name());
}

std::string StableBytes(const Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream output(&stream);
  output.SetSerializationDeterministic(true);
  message.SerializePartialToCodedStream(&output);
  output.Trim();
  return bytes;
}

}  // namespace dragoman

#include "exporters/onnx/dict_to_message.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "core/support/text.h"
#include "proto/onnx/extra.h"

namespace dragoman::onnx_writer {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

bool FitsInt32(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

// One field of one message. Each Set function returns false where the attribute is of another kind.
class FieldSetter {
 public:
  FieldSetter(Bulk* bulk, Message* message, const FieldDescriptor& field)
      : bulk_(bulk), message_(message), field_(field), set_(*message->GetReflection()) {}

  Result<bool> Set(const Attribute& value) {
    if (field_.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) return SetMessages(value);
    return field_.is_repeated() ? SetNumbers(value) : SetNumber(value);
  }

 private:
  Result<bool> SetMessages(const Attribute& value) {
    if (const auto* dict = value.As<Attribute::Dict>(); dict != nullptr && !field_.is_repeated()) {
      DRAGOMAN_TRY(FillFromDict(*dict, bulk_, set_.MutableMessage(message_, &field_)));
      return true;
    }
    const auto* list = value.As<Attribute::List>();
    if (list == nullptr || !field_.is_repeated()) return false;
    for (const Attribute& element : *list) {
      const auto* dict = element.As<Attribute::Dict>();
      if (dict == nullptr) return false;
      DRAGOMAN_TRY(FillFromDict(*dict, bulk_, set_.AddMessage(message_, &field_)));
    }
    return true;
  }

  bool SetNumber(const Attribute& value) {
    if (const auto* number = value.As<std::int64_t>()) return SetInt(*number);
    if (const auto* text = value.As<std::string>()) return SetText(*text);
    if (const Tensor* bytes = value.tensor()) return SetRawData(*bytes);
    if (const auto* number = value.As<float>();
        number && field_.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT) {
      set_.SetFloat(message_, &field_, *number);
      return true;
    }
    return false;
  }

  bool SetInt(std::int64_t number) {
    if (field_.cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
      set_.SetInt64(message_, &field_, number);
    } else if (field_.cpp_type() == FieldDescriptor::CPPTYPE_INT32 && FitsInt32(number)) {
      set_.SetInt32(message_, &field_, static_cast<std::int32_t>(number));
    } else if (field_.cpp_type() == FieldDescriptor::CPPTYPE_ENUM && FitsInt32(number)) {
      set_.SetEnumValue(message_, &field_, static_cast<int>(number));
    } else {
      return false;
    }
    return true;
  }

  bool SetText(const std::string& text) {
    if (field_.cpp_type() != FieldDescriptor::CPPTYPE_STRING || IsRawData()) return false;
    set_.SetString(message_, &field_, text);
    return true;
  }

  bool SetRawData(const Tensor& bytes) {
    if (!IsRawData()) return false;
    set_.SetString(message_, &field_, bulk_->Token(bytes.bytes()));
    return true;
  }

  bool IsRawData() const {
    return field_.containing_type() == onnx_pb::TensorProto::descriptor() &&
           field_.number() == onnx_pb::TensorProto::kRawDataFieldNumber;
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
    if (field_.cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
      set_.AddInt64(message_, &field_, number);
    } else if (field_.cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
      set_.AddUInt64(message_, &field_, static_cast<std::uint64_t>(number));
    } else if (field_.cpp_type() == FieldDescriptor::CPPTYPE_INT32 && FitsInt32(number)) {
      set_.AddInt32(message_, &field_, static_cast<std::int32_t>(number));
    } else {
      return false;
    }
    return true;
  }

  Bulk* bulk_;
  Message* message_;
  const FieldDescriptor& field_;
  const google::protobuf::Reflection& set_;
};

bool SetUnknownFields(const Attribute& value, Message* message) {
  const auto* bytes = value.As<std::string>();
  return bytes != nullptr &&
         message->GetReflection()->MutableUnknownFields(message)->ParseFromString(*bytes);
}

Status SetField(std::string_view name, const Attribute& value, Bulk* bulk, Message* message) {
  bool is_set = false;
  if (name == onnx_extra::kUnknownFields) {
    is_set = SetUnknownFields(value, message);
  } else if (const auto* field = message->GetDescriptor()->FindFieldByName(std::string(name))) {
    DRAGOMAN_ASSIGN(is_set, FieldSetter(bulk, message, *field).Set(value));
  }
  if (is_set) return {};
  return InvalidInput("extra " + Quote(name) + " of kind " + std::string(Name(value.kind())) +
                      " is no field of " + message->GetDescriptor()->name());
}

}  // namespace

Status FillFromDict(const Attribute::Dict& entries, Bulk* bulk, Message* message) {
  for (const NamedAttribute& entry : entries) {
    DRAGOMAN_TRY(SetField(entry.name, entry.value, bulk, message));
  }
  return {};
}

Status FillFromExtra(const Extra* extra, std::span<const std::string_view> special, Bulk* bulk,
                     Message* message) {
  if (extra == nullptr) return {};
  for (const NamedAttribute& entry : *extra) {
    const bool is_special = std::find(special.begin(), special.end(), entry.name) != special.end();
    if (is_special || !entry.name.starts_with(onnx_extra::kPrefix)) continue;
    const std::string_view name = std::string_view(entry.name).substr(onnx_extra::kPrefix.size());
    DRAGOMAN_TRY(SetField(name, entry.value, bulk, message));
  }
  return {};
}

}  // namespace dragoman::onnx_writer

// SPDX-License-Identifier: Apache-2.0
#include "proto/tensorflow/attr_codec.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/support/text.h"
#include "proto/message_dict.h"
#include "proto/tensorflow/data_type.h"
#include "proto/tensorflow/tensor_codec.h"

namespace dragoman::tf_codec {
namespace {

using tf_pb::AttrValue;
using ListValue = tf_pb::AttrValue::ListValue;

Result<Attribute> DecodeFunc(tf_pb::NameAttrList* message) {
  Symbol name{message->name()};
  if (message->attr().empty()) return Attribute(std::move(name));
  DRAGOMAN_ASSIGN(Attribute::Dict attributes, DecodeAttrs(message->mutable_attr()));
  Attribute::Dict dict;
  dict.emplace_back(std::string(kFunc), std::move(name));
  dict.emplace_back(std::string(kAttr), std::move(attributes));
  return Attribute(std::move(dict));
}

// None: a shape that has no type.
Attribute DecodeShape(const tf_pb::TensorShapeProto& shape) {
  std::optional<Type> type = TypeOfShape(shape);
  return type ? Attribute(std::move(*type)) : Attribute();
}

Result<Attribute> DecodeTensors(ListValue* list) {
  Attribute::Tensors tensors;
  for (tf_pb::TensorProto& message : *list->mutable_tensor()) {
    Extra extra;
    tf_pb::TensorProto copy = message;
    DRAGOMAN_ASSIGN(Attribute value, DecodeTensor(&copy, &extra));
    if (value.tensor() == nullptr) return Attribute();
    tensors.push_back(*value.tensor());
  }
  return Attribute(std::move(tensors));
}

// None: what has no list of one kind.
Result<Attribute> DecodeList(ListValue* list) {
  const int kinds = (list->s_size() > 0) + (list->i_size() > 0) + (list->f_size() > 0) +
                    (list->b_size() > 0) + (list->type_size() > 0) + (list->shape_size() > 0) +
                    (list->tensor_size() > 0) + (list->func_size() > 0);
  if (kinds == 0) return Attribute(Attribute::List());
  if (kinds > 1) return Attribute();
  if (list->s_size() > 0) return Attribute(Attribute::Strings(list->s().begin(), list->s().end()));
  if (list->i_size() > 0) return Attribute(Attribute::Ints(list->i().begin(), list->i().end()));
  if (list->f_size() > 0) return Attribute(Attribute::Floats(list->f().begin(), list->f().end()));
  if (list->b_size() > 0) return Attribute(Attribute::List(list->b().begin(), list->b().end()));
  if (list->tensor_size() > 0) return DecodeTensors(list);
  if (list->func_size() > 0) {
    Attribute::List functions;
    for (tf_pb::NameAttrList& func : *list->mutable_func()) {
      DRAGOMAN_ASSIGN(Attribute function, DecodeFunc(&func));
      functions.push_back(std::move(function));
    }
    return Attribute(std::move(functions));
  }
  Attribute::Types types;
  for (const int type : list->type()) types.push_back(TypeOfDataType(type));
  for (const auto& shape : list->shape()) {
    const Attribute type = DecodeShape(shape);
    if (type.As<Type>() == nullptr) return Attribute();
    types.push_back(*type.As<Type>());
  }
  return Attribute(std::move(types));
}

Result<Attribute> DecodeValue(AttrValue* message, Extra* extra) {
  switch (message->value_case()) {
    case AttrValue::kS:
      return Attribute(message->s());
    case AttrValue::kI:
      return Attribute(std::int64_t{message->i()});
    case AttrValue::kF:
      return Attribute(message->f());
    case AttrValue::kB:
      return Attribute(message->b());
    case AttrValue::kType:
      return Attribute(TypeOfDataType(message->type()));
    case AttrValue::kShape:
      return DecodeShape(message->shape());
    case AttrValue::kTensor:
      return DecodeTensor(message->mutable_tensor(), extra);
    case AttrValue::kList:
      return DecodeList(message->mutable_list());
    case AttrValue::kFunc:
      return DecodeFunc(message->mutable_func());
    case AttrValue::kPlaceholder:
      return Attribute(AttributeRef{message->placeholder()});
    case AttrValue::VALUE_NOT_SET:
      break;
  }
  return Attribute();
}

bool IsSimple(const AttrValue& message) {
  switch (message.value_case()) {
    case AttrValue::kS:
    case AttrValue::kI:
    case AttrValue::kF:
    case AttrValue::kB:
    case AttrValue::kType:
    case AttrValue::kPlaceholder:
    case AttrValue::VALUE_NOT_SET:
      return message.GetReflection()->GetUnknownFields(message).empty();
    default:
      return false;
  }
}

bool IsSame(const AttrValue& a, const AttrValue& b) {
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_message_field_comparison(google::protobuf::util::MessageDifferencer::EQUAL);
  return differencer.Compare(a, b) && a.value_case() == b.value_case();
}

Error NoAttr(const NamedAttribute& attribute) {
  return InvalidInput("attribute " + Quote(attribute.name) + " is a " +
                      std::string(Name(attribute.value.kind())) +
                      ", which is not an attribute of TensorFlow");
}

Status EncodeFunc(const Attribute& value, tf_pb::NameAttrList* message) {
  if (const auto* symbol = value.As<Symbol>()) {
    message->set_name(symbol->name);
    return {};
  }
  const auto* dict = value.As<Attribute::Dict>();
  const Attribute* func = dict == nullptr ? nullptr : Find(*dict, kFunc);
  const Attribute* attr = dict == nullptr ? nullptr : Find(*dict, kAttr);
  const auto* name = func == nullptr ? nullptr : func->As<Symbol>();
  const auto* attributes = attr == nullptr ? nullptr : attr->As<Attribute::Dict>();
  if (name == nullptr || attributes == nullptr || dict->size() != 2) {
    return InvalidInput("a function is neither @name nor {func = @name, attr = {…}}");
  }
  message->set_name(name->name);
  return EncodeAttrs(*attributes, message->mutable_attr());
}

bool IsShape(const Type& type) { return type.is_tensor() && type.dtype() == DType::kUnknown; }

// false: no type that an AttrValue has.
template <class SetType, class AddShape>
bool EncodeType(const Type& type, SetType set_type, AddShape add_shape) {
  if (IsShape(type)) return FillShape(type, add_shape());
  const std::optional<int> number = DataTypeOf(type);
  if (!number || (type.is_tensor() && type.shape() != nullptr)) return false;
  set_type(static_cast<tf_pb::DataType>(*number));
  return true;
}

Status EncodeMixedList(const NamedAttribute& attribute, ListValue* list) {
  for (const Attribute& item : *attribute.value.As<Attribute::List>()) {
    if (const auto* flag = item.As<bool>()) {
      list->add_b(*flag);
    } else {
      DRAGOMAN_TRY(EncodeFunc(item, list->add_func()));
    }
  }
  return {};
}

Status EncodeList(const NamedAttribute& attribute, ListValue* list) {
  const Attribute& value = attribute.value;
  if (const auto* strings = value.As<Attribute::Strings>()) {
    for (const std::string& text : *strings) list->add_s(text);
  } else if (const auto* ints = value.As<Attribute::Ints>()) {
    list->mutable_i()->Add(ints->begin(), ints->end());
  } else if (const auto* floats = value.As<Attribute::Floats>()) {
    list->mutable_f()->Add(floats->begin(), floats->end());
  } else if (const auto* tensors = value.As<Attribute::Tensors>()) {
    for (const Tensor& tensor : *tensors)
      DRAGOMAN_TRY(EncodeTensor(tensor, nullptr, list->add_tensor()));
  } else if (const auto* types = value.As<Attribute::Types>()) {
    for (const Type& type : *types) {
      const bool is_encoded = EncodeType(
          type, [&](tf_pb::DataType data_type) { list->add_type(data_type); },
          [&] { return list->add_shape(); });
      if (!is_encoded) return NoAttr(attribute);
    }
  } else if (value.As<Attribute::List>() != nullptr) {
    return EncodeMixedList(attribute, list);
  } else {
    return NoAttr(attribute);
  }
  return {};
}

// As the value says, whatever stands beside it.
Status EncodeValue(const NamedAttribute& attribute, AttrValue* message) {
  const Attribute& value = attribute.value;
  if (const auto* text = value.As<std::string>()) {
    message->set_s(*text);
  } else if (const auto* integer = value.As<std::int64_t>()) {
    message->set_i(*integer);
  } else if (const auto* number = value.As<float>()) {
    message->set_f(*number);
  } else if (const auto* flag = value.As<bool>()) {
    message->set_b(*flag);
  } else if (const auto* type = value.As<Type>()) {
    const bool is_encoded = EncodeType(
        *type, [&](tf_pb::DataType data_type) { message->set_type(data_type); },
        [&] { return message->mutable_shape(); });
    if (!is_encoded) return NoAttr(attribute);
  } else if (value.tensor() != nullptr) {
    return EncodeTensor(value, attribute.extra.get(), message->mutable_tensor());
  } else if (const auto* dict = value.As<Attribute::Dict>();
             dict != nullptr && Find(*dict, kFunc) == nullptr) {
    return EncodeTensor(value, nullptr, message->mutable_tensor());
  } else if (value.As<Symbol>() != nullptr || value.As<Attribute::Dict>() != nullptr) {
    return EncodeFunc(value, message->mutable_func());
  } else if (const auto* reference = value.As<AttributeRef>()) {
    message->set_placeholder(reference->name);
  } else if (value.kind() != Attribute::Kind::kNone) {
    return EncodeList(attribute, message->mutable_list());
  }
  return {};
}

// The message that the file had, if it means the present value of `attribute`.
Result<std::optional<AttrValue>> AsWritten(const NamedAttribute& attribute) {
  const Attribute* written =
      attribute.extra == nullptr ? nullptr : Find(*attribute.extra, kAsWritten);
  const auto* dict = written == nullptr ? nullptr : written->As<Attribute::Dict>();
  if (dict == nullptr) return std::optional<AttrValue>();
  AttrValue message;
  DRAGOMAN_TRY(DictToMessage(*dict, &message));
  AttrValue copy = message;
  Extra extra;
  DRAGOMAN_ASSIGN(Attribute value, DecodeValue(&copy, &extra));
  if (!Identical(value, attribute.value)) return std::optional<AttrValue>();
  return std::optional(std::move(message));
}

}  // namespace

Result<NamedAttribute> DecodeAttr(std::string name, AttrValue* message) {
  NamedAttribute attribute;
  attribute.name = std::move(name);
  Extra extra;
  if (IsSimple(*message)) {
    DRAGOMAN_ASSIGN(attribute.value, DecodeValue(message, &extra));
    return attribute;
  }
  if (message->value_case() == AttrValue::kTensor &&
      message->GetReflection()->GetUnknownFields(*message).empty()) {
    DRAGOMAN_ASSIGN(attribute.value, DecodeValue(message, &extra));
  } else {
    AttrValue copy = *message;
    DRAGOMAN_ASSIGN(attribute.value, DecodeValue(&copy, &extra));
    AttrValue again;
    const Status status = EncodeValue(attribute, &again);
    if (!status.ok() || !IsSame(again, *message)) {
      extra.emplace_back(std::string(kAsWritten), MessageToDict(*message));
    }
  }
  if (!extra.empty()) attribute.extra = std::make_shared<const Extra>(std::move(extra));
  return attribute;
}

Status EncodeAttr(const NamedAttribute& attribute, AttrValue* message) {
  DRAGOMAN_ASSIGN(std::optional<AttrValue> written, AsWritten(attribute));
  if (!written) return EncodeValue(attribute, message);
  *message = std::move(*written);
  return {};
}

Result<std::vector<NamedAttribute>> DecodeAttrs(AttrMap* messages) {
  std::vector<std::string> names;
  for (const auto& [name, value] : *messages) names.push_back(name);
  std::sort(names.begin(), names.end());
  std::vector<NamedAttribute> attributes;
  attributes.reserve(names.size());
  for (const std::string& name : names) {
    DRAGOMAN_ASSIGN(NamedAttribute attribute, DecodeAttr(name, &(*messages)[name]));
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

Status EncodeAttrs(const std::vector<NamedAttribute>& attributes, AttrMap* messages) {
  for (const NamedAttribute& attribute : attributes) {
    if (messages->contains(attribute.name)) {
      return InvalidInput("there are two attributes " + Quote(attribute.name));
    }
    DRAGOMAN_TRY(EncodeAttr(attribute, &(*messages)[attribute.name]));
  }
  return {};
}

}  // namespace dragoman::tf_codec

// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/dict_to_message.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <optional>
#include <string>

#include "proto/message_dict.h"
#include "proto/onnx/extra.h"
#include "proto/onnx/raw_data.h"

namespace dragoman::onnx_writer {
namespace {

// Raw data is a token until the message is written.
FormToString RawData(Bulk* bulk) {
  return [bulk](const google::protobuf::FieldDescriptor& field,
                const Attribute& value) -> std::optional<std::string> {
    if (onnx_pb::IsRawData(field)) {
      const Tensor* bytes = value.tensor();
      return bytes == nullptr ? std::nullopt : std::optional(bulk->Token(bytes->bytes()));
    }
    const auto* text = value.As<std::string>();
    return text == nullptr ? std::nullopt : std::optional(*text);
  };
}

}  // namespace

Status FillFromDict(const Attribute::Dict& entries, Bulk* bulk,
                    google::protobuf::Message* message) {
  return DictToMessage(entries, message, RawData(bulk));
}

Status FillFromExtra(const Extra* extra, std::span<const std::string_view> special, Bulk* bulk,
                     google::protobuf::Message* message) {
  if (extra == nullptr) return {};
  for (const NamedAttribute& entry : *extra) {
    const bool is_special = std::find(special.begin(), special.end(), entry.name) != special.end();
    if (is_special || !entry.name.starts_with(onnx_extra::kPrefix)) continue;
    const std::string_view name = std::string_view(entry.name).substr(onnx_extra::kPrefix.size());
    DRAGOMAN_TRY(SetField(name, entry.value, message, RawData(bulk)));
  }
  return {};
}

}  // namespace dragoman::onnx_writer

// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/message_to_dict.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "proto/message_dict.h"
#include "proto/onnx/extra.h"
#include "proto/onnx/raw_data.h"

namespace dragoman::onnx_reader {

Attribute::Dict ToDict(const google::protobuf::Message& message, const ResolveToken& resolve) {
  const auto raw_data = [&](const google::protobuf::FieldDescriptor& field,
                            const std::string& token) -> std::optional<Attribute> {
    if (!onnx_pb::IsRawData(field)) return std::nullopt;
    Buffer buffer = resolve(token);
    const auto size = static_cast<std::int64_t>(buffer.size());
    return *Tensor::Make(DType::kU8, {size}, std::move(buffer));
  };
  return MessageToDict(message, raw_data);
}

Extra ToExtra(const google::protobuf::Message& message, const ResolveToken& resolve) {
  Extra extra = ToDict(message, resolve);
  for (NamedAttribute& entry : extra) entry.name.insert(0, onnx_extra::kPrefix);
  return extra;
}

}  // namespace dragoman::onnx_reader

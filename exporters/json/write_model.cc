// SPDX-License-Identifier: Apache-2.0
#include "exporters/json/write_model.h"

#include <google/protobuf/util/json_util.h>

#include <limits>

#include "core/support/bytes.h"
#include "proto/pack_model.h"

namespace dragoman {

Result<std::string> WriteJsonText(const Model& model) {
  pb::Model message;
  DRAGOMAN_TRY(PackModel(
      model,
      [](const Buffer& buffer, pb::Buffer* to) {
        to->set_data(std::string(AsText(buffer.bytes())));
      },
      &message));
  if (message.ByteSizeLong() > std::numeric_limits<std::int32_t>::max()) {
    return Unsupported(
        "the model has over 2 GB, too much for JSON; write the native format (.dgm)");
  }
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto status = google::protobuf::util::MessageToJsonString(message, &text, options);
  if (!status.ok()) return Internal("cannot write JSON: " + status.ToString());
  return text;
}

}  // namespace dragoman

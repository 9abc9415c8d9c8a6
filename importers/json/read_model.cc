// SPDX-License-Identifier: Apache-2.0
#include "importers/json/read_model.h"

#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/json_util.h>

#include <limits>
#include <memory>

#include "core/support/bytes.h"
#include "core/support/mapped_file.h"
#include "core/support/text.h"
#include "proto/pack_model.h"

namespace dragoman {

Result<Model> ReadJsonText(std::string_view text) {
  if (text.size() > std::size_t{std::numeric_limits<std::int32_t>::max()}) {
    return Unsupported("the file has over 2 GB, too much for JSON");
  }
  const google::protobuf::LogSilencer silencer;  // it would print to standard error
  pb::Model message;
  const auto status =
      google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, &message);
  if (!status.ok()) {
    const auto reason = status.message();
    return InvalidInput("malformed JSON: " + Escape({reason.data(), reason.size()}));
  }
  return UnpackModel(std::move(message), [](pb::Buffer& buffer) -> Result<Buffer> {
    return Buffer::Own(std::move(*buffer.mutable_data()));
  });
}

Result<Model> ReadJson(const std::string& path) {
  DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  Result<Model> model = ReadJsonText(AsText(file->bytes()));
  if (!model.ok()) model.error().InFile(path);
  return model;
}

}  // namespace dragoman

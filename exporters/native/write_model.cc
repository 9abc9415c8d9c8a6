// SPDX-License-Identifier: Apache-2.0
#include "exporters/native/write_model.h"

#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "core/support/bytes.h"
#include "core/support/hash.h"
#include "core/support/output_file.h"
#include "proto/native_header.h"
#include "proto/pack_model.h"

namespace dragoman {
namespace {

std::uint64_t Aligned(std::uint64_t size) {
  return (size + kNativeAlignment - 1) / kNativeAlignment * kNativeAlignment;
}

using Append = std::function<Status(std::string_view)>;

Status Pad(std::uint64_t size, const Append& append) {
  return append(std::string(Aligned(size) - size, '\0'));
}

Status Write(const Model& model, const Append& append) {
  std::vector<Buffer> buffers;
  std::uint64_t data_size = 0;
  pb::Model message;
  DRAGOMAN_TRY(PackModel(
      model,
      [&](const Buffer& buffer, pb::Buffer* to) {
        to->set_offset(data_size);
        data_size += Aligned(buffer.size());
        buffers.push_back(buffer);
      },
      &message));
  if (message.ByteSizeLong() > std::numeric_limits<std::int32_t>::max()) {
    return Unsupported("the model has over 2 GB without its tensors");
  }
  const std::string packed = message.SerializeAsString();
  message.Clear();

  NativeHeader header = {};
  std::memcpy(header.magic, kNativeMagic.data(), kNativeMagic.size());
  header.layout = kNativeLayout;
  header.message_size = packed.size();
  header.message_hash = HashString(packed);
  header.data_offset = Aligned(sizeof header + packed.size());
  header.data_size = data_size;
  DRAGOMAN_TRY(append({reinterpret_cast<const char*>(&header), sizeof header}));
  DRAGOMAN_TRY(append(packed));
  DRAGOMAN_TRY(Pad(sizeof header + packed.size(), append));
  for (const Buffer& buffer : buffers) {
    DRAGOMAN_TRY(append(AsText(buffer.bytes())));
    DRAGOMAN_TRY(Pad(buffer.size(), append));
  }
  return {};
}

}  // namespace

Status WriteNative(const Model& model, const std::string& path) {
  DRAGOMAN_ASSIGN(OutputFile file, OutputFile::Create(path));
  DRAGOMAN_TRY(Write(model, [&](std::string_view bytes) { return file.Append(bytes); }));
  return file.Commit();
}

Result<std::string> WriteNativeBytes(const Model& model) {
  std::string file;
  DRAGOMAN_TRY(Write(model, [&](std::string_view bytes) {
    file += bytes;
    return Status();
  }));
  return file;
}

}  // namespace dragoman

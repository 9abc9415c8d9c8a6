// SPDX-License-Identifier: Apache-2.0
#include "importers/native/read_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "core/support/hash.h"
#include "core/support/mapped_file.h"
#include "proto/native_header.h"
#include "proto/pack_model.h"

namespace dragoman {
namespace {

Error At(std::uint64_t offset, std::string message) {
  return InvalidInput(std::move(message)).At("byte " + std::to_string(offset));
}

Result<NativeHeader> ReadHeader(std::span<const std::byte> file) {
  NativeHeader header;
  if (!IsNative(file)) return At(0, "this is not a dragoman file");
  if (file.size() < sizeof header) {
    return At(file.size(), "the file ends within its header");
  }
  std::memcpy(&header, file.data(), sizeof header);
  if (header.layout != kNativeLayout) {
    return At(offsetof(NativeHeader, layout),
              "layout " + std::to_string(header.layout) +
                  " of the file is unknown; this program reads layout " +
                  std::to_string(kNativeLayout));
  }
  const char* spare = header.reserved;
  if (header.zero != 0 ||
      std::any_of(spare, spare + sizeof header.reserved, [](char c) { return c != 0; })) {
    return At(offsetof(NativeHeader, zero), "the header is damaged: reserved bytes are not zero");
  }
  const std::uint64_t size = file.size();
  if (header.message_size > size - sizeof header ||
      header.message_size > std::uint64_t{std::numeric_limits<std::int32_t>::max()}) {
    return At(offsetof(NativeHeader, message_size), "the file has " + std::to_string(size) +
                                                        " bytes, its message is to have " +
                                                        std::to_string(header.message_size));
  }
  if (header.data_offset < sizeof header + header.message_size || header.data_offset > size ||
      header.data_size != size - header.data_offset) {
    return At(offsetof(NativeHeader, data_offset),
              "the file has " + std::to_string(size) + " bytes, its data section is to have " +
                  std::to_string(header.data_size) + " from byte " +
                  std::to_string(header.data_offset));
  }
  return header;
}

Result<pb::Model> ReadMessage(std::span<const std::byte> bytes, std::uint64_t hash) {
  if (HashBytes(bytes) != hash)
    return At(sizeof(NativeHeader), "the message is damaged: its checksum is another");
  const google::protobuf::LogSilencer silencer;  // it would print to standard error
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                               static_cast<int>(bytes.size()));
  pb::Model message;
  if (message.ParseFromCodedStream(&input) && input.ConsumedEntireMessage()) return message;
  return At(sizeof(NativeHeader) + static_cast<std::uint64_t>(input.CurrentPosition()),
            "the message is malformed");
}

}  // namespace

bool IsNative(std::span<const std::byte> begin) {
  return begin.size() >= kNativeMagic.size() &&
         std::memcmp(begin.data(), kNativeMagic.data(), kNativeMagic.size()) == 0;
}

Result<Model> ReadNativeBytes(Buffer file) {
  DRAGOMAN_ASSIGN(const NativeHeader header, ReadHeader(file.bytes()));
  DRAGOMAN_ASSIGN(
      pb::Model message,
      ReadMessage(file.bytes().subspan(sizeof header, header.message_size), header.message_hash));
  const std::span<const std::byte> data = file.bytes().subspan(header.data_offset);
  const auto owner = std::make_shared<const Buffer>(file);
  Result<Model> model = UnpackModel(std::move(message), [&](pb::Buffer& buffer) -> Result<Buffer> {
    if (buffer.offset() > data.size() || buffer.size() > data.size() - buffer.offset()) {
      return InvalidInput("a tensor ends beyond the data section");
    }
    return Buffer::Window(data.subspan(buffer.offset(), buffer.size()), owner);
  });
  if (!model.ok()) model.error().At("byte " + std::to_string(sizeof header));
  return model;
}

Result<Model> ReadNative(const std::string& path) {
  DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  Result<Model> model = ReadNativeBytes(Buffer::Window(file->bytes(), file));
  if (!model.ok()) model.error().InFile(path);
  return model;
}

}  // namespace dragoman

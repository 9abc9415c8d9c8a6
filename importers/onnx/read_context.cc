// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/read_context.h"

#include <cstdint>

#include "core/support/confined_path.h"
#include "core/support/text.h"

namespace dragoman::onnx_reader {
namespace {

struct ExternalKeys {
  std::string location;
  std::optional<std::string> offset;
  std::optional<std::string> length;
};

// Of a key that stands there twice the last one counts, as in ONNX's own tools.
ExternalKeys KeysOf(const onnx_pb::TensorProto& tensor) {
  ExternalKeys keys;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") keys.location = entry.value();
    if (entry.key() == "offset") keys.offset = entry.value();
    if (entry.key() == "length") keys.length = entry.value();
  }
  return keys;
}

}  // namespace

Buffer ReadContext::RawData(const std::string& token) const {
  return Buffer::Window(reduced_.Window(token), owner_);
}

Result<std::optional<Buffer>> ReadContext::ExternalData(const onnx_pb::TensorProto& tensor,
                                                        std::size_t size, const Place& place) {
  const ExternalKeys keys = KeysOf(tensor);
  const std::optional<std::uint64_t> offset = ParseUint64(keys.offset.value_or("0"));
  const std::optional<std::uint64_t> length =
      ParseUint64(keys.length.value_or(std::to_string(size)));
  const std::string tensor_name = "external data of tensor " + Quote(tensor.name());
  if (!offset || !length) {
    return Fail(place, tensor_name + " has offset " + Quote(keys.offset.value_or("")) +
                           " and length " + Quote(keys.length.value_or("")) + ", expected numbers");
  }
  if (*length != size) {
    return Fail(place, tensor_name + " has " + std::to_string(*length) + " bytes, expected " +
                           std::to_string(size));
  }
  DRAGOMAN_ASSIGN(const std::shared_ptr<const MappedFile> data, OpenData(keys.location, place));
  if (data == nullptr) return std::optional<Buffer>();
  const std::span<const std::byte> bytes = data->bytes();
  if (*offset > bytes.size() || size > bytes.size() - *offset) {
    return Fail(place, tensor_name + " is " + std::to_string(size) + " bytes at offset " +
                           std::to_string(*offset) + ", but the file " + Quote(keys.location) +
                           " has " + std::to_string(bytes.size()));
  }
  return std::optional(Buffer::Window(bytes.subspan(*offset, size), data));
}

Result<std::shared_ptr<const MappedFile>> ReadContext::OpenData(const std::string& location,
                                                                const Place& place) {
  std::shared_ptr<const MappedFile>& data = data_files_[location];
  if (data != nullptr) return data;
  if (!options_.data_folder) {
    if (!options_.require_data) return data;
    return Fail(
        place, "tensor data lies in the file " + Quote(location) + ", but the model has no folder");
  }
  Result<std::shared_ptr<const MappedFile>> opened = OpenConfined(*options_.data_folder, location);
  if (opened.ok()) {
    data = *std::move(opened);
  } else if (options_.require_data || !CheckConfinedName(location).ok()) {
    return Fail(place,
                "external data " + Quote(location) + ": " + opened.error().findings()[0].message);
  }
  return data;
}

Attribute::Dict ReadContext::Dict(const google::protobuf::Message& message) const {
  return ToDict(message, resolve_);
}

Error ReadContext::Fail(const Place& place, std::string message) const {
  return Error(Finding{ErrorKind::kInvalidInput,
                       {},
                       "byte " + std::to_string(FindOffset(file_, place)),
                       std::move(message)});
}

void ReadContext::Note(const Place& place, std::string message) {
  if (findings_.size() < kMaxNoted) {
    findings_.push_back(Fail(place, std::move(message)).findings()[0]);
  } else {
    ++unlisted_;
  }
}

Status ReadContext::Noted() const {
  if (findings_.empty()) return {};
  std::vector<Finding> findings = findings_;
  if (unlisted_ > 0) {
    Finding rest = findings.back();
    rest.message = "and " + std::to_string(unlisted_) + " more";
    findings.push_back(std::move(rest));
  }
  return Error(std::move(findings));
}

}  // namespace dragoman::onnx_reader
